// The switches of language and theme. `draw` makes the page anew in another language.

function switches(draw) {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  const isDark = () => document.documentElement.dataset.theme === 'dark';
  const theme = make('button', { type: 'button', id: 'theme', on: { click: () => { setTheme(isDark() ? 'light' : 'dark'); theme.textContent = say(isDark() ? 'light' : 'dark'); } } },
    say(isDark() ? 'light' : 'dark'));
  const other = make('button', { type: 'button', id: 'language', lang: language === 'zh' ? 'en' : 'zh-CN', on: { click: () => { language = language === 'zh' ? 'en' : 'zh'; draw(); document.getElementById('language').focus(); } } },
    say('otherLanguage'));
  return make('div', { class: 'switches' }, other, theme);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
