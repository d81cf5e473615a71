//! How many rows a client may send: so many a second, and some more after a pause.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::lock::lock;

/// The most addresses that are remembered. Then all begin anew.
const MOST: usize = 10_000;

/// A bound on rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Rows a second, at least 1. A request without rows counts as one.
    pub rows: u32,
    /// The rows that may come at once after a pause, at least 1.
    pub burst: u32,
}

impl Rate {
    /// So many rows a second, and as many at once unless `burst` says otherwise. Neither is less
    /// than 1.
    pub fn new(rows: u32, burst: Option<u32>) -> Rate {
        Rate { rows: rows.max(1), burst: burst.unwrap_or(rows).max(1) }
    }
}

impl std::str::FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Rate, String> {
        let (rows, burst) = match text.split_once(':') {
            Some((rows, burst)) => (rows, Some(burst)),
            None => (text, None),
        };
        let whole = |number: &str| number.parse().ok().filter(|number: &u32| *number > 0);
        let rate = whole(rows).and_then(|rows| match burst {
            None => Some(Rate::new(rows, None)),
            Some(burst) => whole(burst).map(|burst| Rate::new(rows, Some(burst))),
        });
        rate.ok_or_else(|| format!("{text} is not a rate; write rows a second, as in 20 or 20:100"))
    }
}

/// The rows that may come now. A request needs one row and takes all it has. So the count may
/// become negative; the next request waits until it is 1 again.
#[derive(Debug)]
pub(crate) struct Bucket {
    rate: Rate,
    /// The rows, negative after a large request, and the time at which they were counted.
    state: Mutex<(f64, Instant)>,
}

impl Bucket {
    pub fn new(rate: Rate, now: Instant) -> Bucket {
        Bucket { rate, state: Mutex::new((f64::from(rate.burst), now)) }
    }

    /// Takes one row.
    ///
    /// # Errors
    /// The time until there is one.
    pub fn take(&self, now: Instant) -> Result<(), Duration> {
        self.with(now, |rows| {
            if *rows < 1.0 {
                return Err(Duration::from_secs_f64((1.0 - *rows) / f64::from(self.rate.rows)));
            }
            *rows -= 1.0;
            Ok(())
        })
    }

    /// Takes further rows of a request that took one, unless other requests have taken too many.
    ///
    /// # Errors
    /// The time until there are rows again.
    pub fn take_more(&self, more: usize, now: Instant) -> Result<(), Duration> {
        self.with(now, |rows| {
            if *rows < 0.0 {
                return Err(Duration::from_secs_f64((1.0 - *rows) / f64::from(self.rate.rows)));
            }
            *rows -= more as f64;
            Ok(())
        })
    }

    /// Takes rows, however many others have been taken.
    pub fn owe(&self, rows: usize, now: Instant) {
        self.with(now, |own| *own -= rows as f64);
    }

    fn with<T>(&self, now: Instant, change: impl FnOnce(&mut f64) -> T) -> T {
        let mut state = lock(&self.state);
        let passed = now.saturating_duration_since(state.1).as_secs_f64();
        let rows = state.0 + passed * f64::from(self.rate.rows);
        *state = (rows.min(f64::from(self.rate.burst)), state.1.max(now));
        change(&mut state.0)
    }
}

/// The buckets of addresses that ask without a token.
#[derive(Debug)]
pub(crate) struct Peers {
    rate: Rate,
    of: Mutex<HashMap<IpAddr, Arc<Bucket>>>,
}

impl Peers {
    pub fn new(rate: Rate) -> Peers {
        Peers { rate, of: Mutex::default() }
    }

    /// The bucket of an address. The addresses of an IPv6 network share one.
    pub fn of(&self, address: IpAddr, now: Instant) -> Arc<Bucket> {
        let address = match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
            address => address,
        };
        let mut of = lock(&self.of);
        if of.len() >= MOST && !of.contains_key(&address) {
            of.clear();
        }
        of.entry(address).or_insert_with(|| Arc::new(Bucket::new(self.rate, now))).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { rows: 10, burst: 20 };

    #[test]
    fn rows_come_back_with_time_and_large_requests_are_paid_later() {
        let now = Instant::now();
        let after = |milliseconds| now + Duration::from_millis(milliseconds);
        let bucket = Bucket::new(RATE, now);
        for _ in 0..20 {
            assert_eq!(bucket.take(now), Ok(()));
        }
        assert_eq!(bucket.take(now), Err(Duration::from_millis(100)));
        assert_eq!(bucket.take(after(100)), Ok(()));
        assert_eq!(bucket.take_more(99, after(100)), Ok(()));
        assert_eq!(bucket.take_more(1, after(100)), Err(Duration::from_secs(10)));
        assert_eq!(bucket.take(after(100)), Err(Duration::from_secs(10)));
        bucket.owe(10, after(100));
        assert_eq!(bucket.take(after(100)), Err(Duration::from_secs(11)));
        assert_eq!(bucket.take(after(11_101)), Ok(()));
        // A long pause gives no more than the burst.
        for _ in 0..20 {
            assert_eq!(bucket.take(after(1_000_000)), Ok(()));
        }
        assert!(bucket.take(after(1_000_000)).is_err());
    }

    #[test]
    fn addresses_are_apart_and_ipv6_networks_together() {
        let now = Instant::now();
        let peers = Peers::new(RATE);
        let of = |address: &str| peers.of(address.parse().unwrap(), now);
        assert!(!Arc::ptr_eq(&of("10.0.0.1"), &of("10.0.0.2")));
        assert!(Arc::ptr_eq(&of("2001:db8::1"), &of("2001:db8::2:3")));
        assert!(!Arc::ptr_eq(&of("2001:db8::1"), &of("2001:db8:0:1::1")));
        assert!(!Arc::ptr_eq(&of("::ffff:10.0.0.3"), &of("::ffff:10.0.0.4")));
        for number in 0..2 * MOST as u32 {
            peers.of(IpAddr::V4(number.into()), now);
        }
        assert!(peers.of.lock().unwrap().len() <= MOST);
    }
}
