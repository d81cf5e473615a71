//! The roles of tokens.

use serde::{Deserialize, Serialize};

/// What the holder of a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Check texts and see documents, stories and pairs.
    Read,
    /// Also add and remove documents.
    Write,
    /// See as [`Role::Read`], and give verdicts and choose keepers.
    Review,
    /// Everything.
    Admin,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 4] = [Role::Read, Role::Write, Role::Review, Role::Admin];

    /// The role in one word.
    pub fn name(self) -> &'static str {
        match self {
            Role::Read => "read",
            Role::Write => "write",
            Role::Review => "review",
            Role::Admin => "admin",
        }
    }

    /// True if this role may make a call that needs the role `needs`.
    pub fn may(self, needs: Role) -> bool {
        self == needs || self == Role::Admin || needs == Role::Read
    }

    /// The roles that may make a call that needs this one, for people.
    pub(crate) fn or_more(self) -> String {
        let mut may = Role::ALL.into_iter().filter(|role| role.may(self)).map(Role::name);
        let last = may.next_back().unwrap_or_default();
        let others: Vec<&str> = may.collect();
        match others.is_empty() {
            true => last.to_string(),
            false => format!("{} or {last}", others.join(", ")),
        }
    }
}

impl std::str::FromStr for Role {
    type Err = String;

    fn from_str(name: &str) -> Result<Role, String> {
        let role = Role::ALL.into_iter().find(|role| role.name() == name);
        role.ok_or_else(|| format!("there are the roles {}", Role::ALL.map(Role::name).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_reads_and_only_admin_does_all() {
        let may = |needs| Role::ALL.map(|role: Role| role.may(needs));
        assert_eq!(may(Role::Read), [true, true, true, true]);
        assert_eq!(may(Role::Write), [false, true, false, true]);
        assert_eq!(may(Role::Review), [false, false, true, true]);
        assert_eq!(may(Role::Admin), [false, false, false, true]);
        assert_eq!(Role::Read.or_more(), "read, write, review or admin");
        assert_eq!(Role::Admin.or_more(), "admin");
    }
}
