//! Addresses that stand for names: each name has one for as long as the room lives, and no address is
//! given twice. So it is known of every connection by which name it was asked for.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Mutex, PoisonError};

use bashful_policy::{HostName, HostRules};

/// The first of the addresses that are kept for measuring networks: 198.18.0.0/15.
const FIRST: u32 = 0xc612_0000;
/// How many there are; the first and the last are left alone.
const MOST: usize = 0x2_0000 - 2;
/// More names in one room mean no good.
const MOST_NAMES: usize = 16 << 10;

const _: () = assert!(MOST_NAMES < MOST);

/// The names that were asked for.
#[derive(Debug, Default)]
pub(crate) struct Names {
    table: Mutex<Table>,
    /// What resolvers put behind a name.
    search: Vec<HostName>,
}

#[derive(Debug, Default)]
struct Table {
    numbers: HashMap<HostName, u32>,
    names: Vec<HostName>,
}

/// What is answered to a question for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    Address(Ipv4Addr),
    /// It is a name with what this host's resolvers put behind it: they are to go on.
    Nothing,
    /// There were too many names.
    Full,
}

impl Names {
    pub(crate) fn new(search: Vec<HostName>) -> Self {
        Self {
            table: Mutex::default(),
            search,
        }
    }

    /// The address of a name.
    pub(crate) fn address(&self, name: &HostName, rules: &HostRules) -> Given {
        let searched = self.search.iter().any(|above| name.is_below(above));
        if searched && !rules.know_name(name) {
            return Given::Nothing;
        }
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let next = table.names.len();
        let number = match table.numbers.get(name) {
            Some(number) => *number,
            None if next >= MOST_NAMES => return Given::Full,
            None => {
                let number = u32::try_from(next).unwrap_or_default();
                table.numbers.insert(name.clone(), number);
                table.names.push(name.clone());
                number
            }
        };
        Given::Address(Ipv4Addr::from_bits(FIRST + 1 + number))
    }

    /// The name that an address stands for.
    pub(crate) fn name(&self, address: Ipv4Addr) -> Option<HostName> {
        let number = address.to_bits().checked_sub(FIRST + 1)?;
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.names.get(usize::try_from(number).ok()?).cloned()
    }
}

/// Whether an address is one of those that stand for names.
pub(crate) fn stands_for_name(address: Ipv4Addr) -> bool {
    address.to_bits() >> 17 == FIRST >> 17
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_an_address_of_its_own() {
        let name = |text: &str| HostName::parse(text).unwrap();
        let names = Names::new(vec![name("corp.example")]);
        let rules = HostRules::parse(&["in.corp.example"]).unwrap();
        let mut seen = std::collections::HashSet::new();
        for number in 0..MOST_NAMES {
            let name = name(&format!("n{number}.example"));
            let Given::Address(address) = names.address(&name, &rules) else {
                panic!("{name}");
            };
            assert!(stands_for_name(address) && seen.insert(address));
            assert_eq!(names.name(address), Some(name.clone()));
            assert_eq!(names.address(&name, &rules), Given::Address(address));
        }
        assert_eq!(
            names.address(&name("one.more.example"), &rules),
            Given::Full
        );
        assert_eq!(
            names.address(&name("a.b.corp.example"), &rules),
            Given::Nothing
        );
        assert_eq!(names.name(Ipv4Addr::new(198, 19, 255, 255)), None);
        assert_eq!(names.name(Ipv4Addr::new(198, 18, 0, 0)), None);
        assert!(!stands_for_name(Ipv4Addr::new(198, 20, 0, 0)));
    }

    #[test]
    fn a_listed_name_below_a_search_domain_has_one() {
        let name = |text: &str| HostName::parse(text).unwrap();
        let names = Names::new(vec![name("corp.example")]);
        let rules = HostRules::parse(&["in.corp.example"]).unwrap();
        let given = names.address(&name("in.corp.example"), &rules);
        assert!(matches!(given, Given::Address(_)));
    }
}
