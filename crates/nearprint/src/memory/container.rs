//! The system's files on control groups -> the memory at which the kernel ends this process.
//!
//! Containers, and services with a limit, are control groups. A process is in one group of each
//! hierarchy (`/proc/self/cgroup`), whose files are below `/sys/fs/cgroup`. The group and each
//! group above it may have a limit, and the least one counts. Within a container the path may name
//! groups that are missing, since the container's own group is then the visible root. See "Memory
//! Interface Files" in the kernel's `cgroup-v2.rst`, and its `cgroup-v1/memory.rst`.

use std::fs;
use std::path::{Component, Path};

/// The limit of this process's container in bytes, if there is one below the memory of the machine.
pub(super) fn limit() -> Option<u64> {
    limit_below(Path::new("/"))
}

/// The limit of a system whose files are below `root`.
fn limit_below(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let limits = groups.lines().flat_map(|line| {
        // A line is NUMBER:CONTROLLERS:PATH. Version 2 of control groups has no controllers.
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) =
            (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let is_memory = controllers.split(',').any(|controller| controller == "memory");
        let (hierarchies, file): (&[&str], &str) = match controllers {
            "" => (&["sys/fs/cgroup", "sys/fs/cgroup/unified"], "memory.max"),
            _ if is_memory => (&["sys/fs/cgroup/memory"], "memory.limit_in_bytes"),
            _ => (&[], ""),
        };
        hierarchies
            .iter()
            .filter_map(move |hierarchy| least(&root.join(hierarchy), path, file))
            .collect::<Vec<_>>()
    });
    let least = limits.min()?;
    // Version 1 reports a number beyond all memory if there is no limit.
    machine(root).is_none_or(|machine| least < machine).then_some(least)
}

/// The least number in the files of this name of a group and the groups above it.
fn least(hierarchy: &Path, group: &str, file: &str) -> Option<u64> {
    let names = Path::new(group).components().filter(|part| matches!(part, Component::Normal(_)));
    let group = hierarchy.join(names.collect::<std::path::PathBuf>());
    let groups = group.ancestors().take_while(|folder| folder.starts_with(hierarchy));
    groups
        .filter_map(|folder| fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok())
        .min()
}

/// The memory of the machine.
fn machine(root: &Path) -> Option<u64> {
    super::kilobytes(&fs::read_to_string(root.join("proc/meminfo")).ok()?, "MemTotal:")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit_of(files: &[(&str, &str)]) -> Option<u64> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        limit_below(root.path())
    }

    const MACHINE: (&str, &str) =
        ("proc/meminfo", "MemTotal:       16384000 kB\nMemFree:        1 kB\n");
    const OWN: &str = "proc/self/cgroup";

    #[test]
    fn the_least_limit_on_the_way_up_counts() {
        let group = [
            MACHINE,
            (OWN, "0::/a.slice/b.service\n"),
            ("sys/fs/cgroup/a.slice/b.service/memory.max", "max\n"),
        ];
        assert_eq!(limit_of(&group), None);
        let above = |bytes| [&group[..], &[("sys/fs/cgroup/a.slice/memory.max", bytes)]].concat();
        assert_eq!(limit_of(&above("500000000\n")), Some(500_000_000));
        let both =
            [&above("500000000\n")[..], &[("sys/fs/cgroup/memory.max", "400000000\n")]].concat();
        assert_eq!(limit_of(&both), Some(400_000_000));
        // A limit beyond the machine is none.
        assert_eq!(limit_of(&above("16777216000\n")), None);
        assert_eq!(limit_of(&above("16777215999\n")), Some(16_777_215_999));
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_root() {
        let own = ("sys/fs/cgroup/memory.max", "2147483648\n");
        for groups in ["0::/\n", "0::/docker/0123456789ab\n", "0::/../..\n"] {
            assert_eq!(limit_of(&[MACHINE, (OWN, groups), own]), Some(2 << 30), "{groups}");
        }
    }

    #[test]
    fn the_first_version_is_read_too() {
        let groups = (OWN, "9:cpu,cpuacct:/x\n5:memory:/docker/ab\n1:name=systemd:/y\n0::/z\n");
        let file = |bytes| [MACHINE, groups, ("sys/fs/cgroup/memory/memory.limit_in_bytes", bytes)];
        assert_eq!(limit_of(&file("1073741824\n")), Some(1 << 30));
        assert_eq!(limit_of(&file("9223372036854771712\n")), None);
        let with_swap = [
            (OWN, "3:hugetlb,memory:/a\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000\n"),
        ];
        assert_eq!(limit_of(&with_swap), Some(1000));
    }

    #[test]
    fn what_is_not_there_or_says_nothing_is_no_limit() {
        assert_eq!(limit_of(&[]), None);
        assert_eq!(limit_of(&[MACHINE, (OWN, "")]), None);
        assert_eq!(
            limit_of(&[
                MACHINE,
                (OWN, "nonsense\n0::/a\n"),
                ("sys/fs/cgroup/a/memory.max", "many\n")
            ]),
            None
        );
    }
}
