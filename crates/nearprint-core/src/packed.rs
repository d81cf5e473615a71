//! A set of eight lanes -> its members in a row, by which AVX2 permutes where AVX-512 compresses.

/// For each set the numbers of its members, and then zeros.
pub(crate) const PACKED: [[u8; 8]; 256] = {
    let (mut packed, mut set) = ([[0; 8]; 256], 0);
    while set < 256 {
        let (mut lane, mut length) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                packed[set][length] = lane as u8;
                length += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    packed
};
