//! Leaves the symbols of the interpreter to the interpreter, where the linker wants to be told.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
