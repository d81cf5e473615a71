//! Makes `data/jieba.dictionary` of jieba's own files, which `data/README.md` names.
//!
//! ```sh
//! cargo run --release -p nearprint-core --example prepare_dictionary -- \
//!     dict.txt hmm.model jieba.dictionary
//! ```

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [words, model, output] = arguments.as_slice() else {
        return Err(
            "three files are needed: the word list, the model, and the dictionary to write".into(),
        );
    };
    let [words, model] = [std::fs::read_to_string(words)?, std::fs::read_to_string(model)?];
    std::fs::write(output, nearprint_core::segment::prepare_dictionary(&words, &model)?)?;
    Ok(())
}
