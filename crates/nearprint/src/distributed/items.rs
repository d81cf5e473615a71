//! Reference documents -> items, which are looked for inside documents.

use nearprint_core::recipe::{Prepared, Wanted};

use super::Worker;
use crate::error::Error;
use crate::leak::Items;

impl Worker {
    /// Takes the reference documents, in their order, as the items that are looked for inside
    /// documents. From then on, records have [`leaks`](super::Record::leaks). Does nothing if the
    /// settings look for no items. Memory: up to 33 bytes for each letter and digit.
    ///
    /// ```
    /// use nearprint::{Config, distributed::Worker};
    /// let worker = Worker::new(&Config::default())?;
    /// let item = "how many eggs does the farmer sell at the market on every single day of the week?";
    /// worker.look_for(&[item])?;
    /// let leak = worker.records(&[&format!("Question 12: {item} Answer: eighteen.")], false)[0].leaks[0];
    /// assert_eq!((leak.item, leak.first, leak.similarity), (0, 13, 1.0));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] if the items have more than [`u32::MAX`] bytes of letters and digits.
    pub fn look_for(&self, texts: &[&str]) -> Result<(), Error> {
        let Some(min_length) = self.min_leak_length else { return Ok(()) };
        let mut items = Items::new(self.config().decide.min_similarity, min_length);
        let (wanted, mut prepared) =
            (Wanted { alphanumeric: true, ..Wanted::default() }, Prepared::default());
        for (text, number) in texts.iter().zip(0..) {
            self.run.recipe().prepare(text, wanted, &mut prepared);
            if let (Some(text), Some(letters)) = (prepared.text.get(), prepared.alphanumeric.get())
            {
                items.add(number, text, letters);
            }
        }
        items.check()?;
        self.items.get_or_init(|| items.index());
        Ok(())
    }
}
