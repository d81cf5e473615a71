//! Runs of letters that two texts share -> the pieces of both texts as read.
//!
//! A run is cut back to whole words and whole figures of both texts, and divided where other letters
//! are stripped from the texts. Signs and blanks are given to the pieces beside them.

use std::ops::Range;

use hashbrown::HashSet;

use super::letters::Letters;
use super::{Kind, Piece, Run, View};
use crate::compare::chain::{Ties, heaviest_chain};

/// The pieces of two texts with these runs. A moved run that has fewer letters than `shortest`
/// after it is cut back is dropped.
pub(super) fn view(letters: &[Letters<'_>; 2], runs: Vec<Run>, shortest: u32) -> View {
    let runs = kept(letters, runs, shortest);
    if letters.iter().all(|letters| letters.len() == 0 && letters.bytes() > 0) {
        // Blanks alone: no letter differs.
        let [left, right] = letters.each_ref().map(|letters| {
            vec![Piece { start: 0, end: letters.bytes(), kind: Kind::Shared, partner: Some(0) }]
        });
        return View { left, right, difference: None };
    }
    let signs = signs(letters, &runs);
    let figures = [0, 1].map(|side| own_figures(&letters[side], side, &runs));
    let mut sides = [0, 1].map(|side| tiles(letters, side, &runs, &signs, &figures[1 - side]));
    let places = sides.each_ref().map(|tiles| {
        let mut places = vec![0; runs.len()];
        for (place, tile) in tiles.iter().enumerate() {
            tile.run.into_iter().for_each(|run| places[run] = place);
        }
        places
    });
    let mut pieces = |side: usize| {
        let partner = |run: usize| places[1 - side][run];
        let piece = |Tile { part, kind, run }: Tile| Piece {
            start: part.start,
            end: part.end,
            kind,
            partner: run.map(partner),
        };
        sides[side].drain(..).map(piece).collect()
    };
    View { left: pieces(0), right: pieces(1), difference: None }
}

/// The runs cut back, in the order of the left text, each with its kind.
fn kept(letters: &[Letters<'_>; 2], runs: Vec<Run>, shortest: u32) -> Vec<(Run, Kind)> {
    let runs: Vec<Run> = runs.into_iter().filter_map(|run| cut_back(letters, run)).collect();
    let length = |run: &Run| letters[0].length(run.of(0));
    let weighed: Vec<(usize, u64)> =
        runs.iter().map(|run| (run.starts[1], u64::from(length(run)))).collect();
    let in_chain = heaviest_chain(&weighed, Ties::Earliest);
    let kinds = in_chain.into_iter().map(|is_in| if is_in { Kind::Shared } else { Kind::Moved });
    let is_long = |(run, kind): &(Run, Kind)| *kind == Kind::Shared || length(run) >= shortest;
    let kept = runs.iter().copied().zip(kinds).filter(is_long);
    kept.flat_map(|(run, kind)| divided(letters, run).into_iter().map(move |part| (part, kind)))
        .collect()
}

/// The parts of a run between letters that are stripped and differ.
fn divided(letters: &[Letters<'_>; 2], run: Run) -> Vec<Run> {
    let is_end = |by: &usize| strips_other(letters, run.starts.map(|start| start + by));
    let ends = (1..run.length).filter(is_end).chain([run.length]);
    let mut next = 0;
    let part = move |end: usize| {
        let part = Run { starts: run.starts.map(|start| start + next), length: end - next };
        next = end;
        part
    };
    ends.map(part).collect()
}

/// Tells if two signs are the same, before these letters of the two texts. Stripped letters are not
/// if others are stripped in the other text.
fn is_same(letters: &[Letters<'_>; 2], at: [usize; 2]) -> impl Fn(&(char, char)) -> bool {
    let strips_other = strips_other(letters, at);
    move |(left, right)| left == right && !(strips_other && left.is_alphanumeric())
}

/// Returns true if other letters are stripped before these letters of the two texts.
fn strips_other(letters: &[Letters<'_>; 2], [left, right]: [usize; 2]) -> bool {
    !letters[0].stripped(left).eq(letters[1].stripped(right))
}

/// The largest part of a run that begins and ends where both texts may be cut.
fn cut_back(letters: &[Letters<'_>; 2], run: Run) -> Option<Run> {
    let may_cut =
        |by: &usize| [0, 1].into_iter().all(|side| letters[side].may_cut(run.starts[side] + by));
    let first = (0..run.length).find(may_cut)?;
    let last = (first + 1..=run.length).rev().find(may_cut)?;
    Some(Run { starts: run.starts.map(|start| start + first), length: last - first })
}

/// The bytes of signs and blanks before each run, and after it, that are equal in both texts.
fn signs(letters: &[Letters<'_>; 2], runs: &[(Run, Kind)]) -> Vec<[usize; 2]> {
    // For each letter the bytes of the signs before it that the run before them takes.
    let mut taken = letters.each_ref().map(|letters| vec![0; letters.len() + 1]);
    let mut signs: Vec<[usize; 2]> = Vec::with_capacity(runs.len());
    for (run, _) in runs {
        let ends = [0, 1].map(|side| run.of(side).end);
        let [left, right] = [0, 1].map(|side| letters[side].signs(ends[side]));
        let same = left.chars().zip(right.chars()).take_while(is_same(letters, ends));
        let after = same.map(|(c, _)| c.len_utf8()).sum();
        (0..2).for_each(|side| taken[side][ends[side]] = after);
        signs.push([0, after]);
    }
    for ((run, _), signs) in runs.iter().zip(&mut signs) {
        let [left, right] = [0, 1]
            .map(|side| &letters[side].signs(run.starts[side])[taken[side][run.starts[side]]..]);
        let is_same = is_same(letters, run.starts);
        let same = left.chars().rev().zip(right.chars().rev()).take_while(is_same);
        signs[0] = same.map(|(c, _)| c.len_utf8()).sum();
    }
    signs
}

/// A piece of a text, before its partner has a number.
#[derive(Debug)]
struct Tile {
    part: Range<usize>,
    kind: Kind,
    run: Option<usize>,
}

/// The runs in the order of one side.
fn in_order(side: usize, runs: &[(Run, Kind)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_unstable_by_key(|run| runs[*run].0.starts[side]);
    order
}

/// The hashes of the figures that only one side has.
fn own_figures(letters: &Letters<'_>, side: usize, runs: &[(Run, Kind)]) -> HashSet<u64> {
    let (mut figures, mut next) = (HashSet::new(), 0);
    let parts = in_order(side, runs).into_iter().map(|run| runs[run].0.of(side));
    for part in parts.chain(std::iter::once(letters.len()..letters.len())) {
        figures.extend(letters.figures_in(next..part.start).map(|(_, hash)| *hash));
        next = part.end;
    }
    figures
}

/// The tiles of the whole text of one side. `figures` has the hashes of the own figures of the
/// other side.
fn tiles(
    both: &[Letters<'_>; 2],
    side: usize,
    runs: &[(Run, Kind)],
    signs: &[[usize; 2]],
    figures: &HashSet<u64>,
) -> Vec<Tile> {
    let letters = &both[side];
    let mut tiles: Vec<Tile> = Vec::new();
    let mut next = 0;
    for number in in_order(side, runs) {
        let (run, kind) = &runs[number];
        let own = run.of(side);
        let (place, [before, after]) = (letters.place(own.clone()), signs[number]);
        let part = place.start - before..place.end + after;
        match next < own.start {
            true => add_own(letters, next..own.start, figures, &mut tiles),
            false if strips_other(both, run.starts) => {
                add_stripped(letters, part.start, &mut tiles);
            }
            false => {}
        }
        next = own.end;
        tiles.push(Tile { part, kind: *kind, run: Some(number) });
    }
    match next < letters.len() {
        true => add_own(letters, next..letters.len(), figures, &mut tiles),
        false if strips_other(both, both.each_ref().map(Letters::len)) => {
            add_stripped(letters, letters.bytes(), &mut tiles);
        }
        false => {}
    }
    close_gaps(letters.bytes(), tiles)
}

/// Adds the bytes up to here as a piece if letters are stripped from them.
fn add_stripped(letters: &Letters<'_>, end: usize, tiles: &mut Vec<Tile>) {
    let start = tiles.last().map_or(0, |tile| tile.part.end);
    if start < end && letters.strips(start..end) {
        tiles.push(Tile { part: start..end, kind: Kind::Stripped, run: None });
    }
}

/// Adds letters that only this text has, and apart from them their figures that are not among
/// `others`.
fn add_own(
    letters: &Letters<'_>,
    part: Range<usize>,
    others: &HashSet<u64>,
    tiles: &mut Vec<Tile>,
) {
    let mut add = |part: Range<usize>, kind: Kind| {
        if !part.is_empty() {
            tiles.push(Tile { part: letters.place(part), kind, run: None });
        }
    };
    let mut next = part.start;
    for (figure, hash) in letters.figures_in(part.clone()) {
        if others.contains(hash) {
            continue;
        }
        add(next..figure.start, Kind::Own);
        next = figure.end;
        add(figure.clone(), Kind::Figure);
    }
    add(next..part.end, Kind::Own);
}

/// Gives signs and blanks that belong to no piece to a piece beside them, preferably to one that
/// only this text has.
fn close_gaps(bytes: usize, mut tiles: Vec<Tile>) -> Vec<Tile> {
    if tiles.is_empty() && bytes > 0 {
        tiles.push(Tile { part: 0..bytes, kind: Kind::Own, run: None });
    }
    let mut end = 0;
    for place in 0..tiles.len() {
        let start = tiles[place].part.start;
        if start > end {
            // White space belongs to the piece before it: it ends a line or a word.
            let fit = |tile: &Tile| match tile.kind {
                Kind::Own => 2,
                Kind::Figure | Kind::Stripped => 1,
                Kind::Shared | Kind::Moved => 0,
            };
            let after = place == 0 || fit(&tiles[place - 1]) < fit(&tiles[place]);
            match after {
                true => tiles[place].part.start = end,
                false => tiles[place - 1].part.end = start,
            }
        }
        end = tiles[place].part.end;
    }
    if let Some(last) = tiles.last_mut() {
        last.part.end = bytes;
    }
    tiles
}
