use std::collections::{HashMap, BTreeMap};
use std::fmt;
pub struct Store { entries: HashMap<String, Vec<u32>>, limit: usize, names: BTreeMap<u32, String> }
impl Store {
    pub fn insert(&mut self, key: &str, value: u32, overwrite: bool, observer: impl Fn(&str, u32) -> bool) -> Result<usize, String> {
        if !overwrite && self.entries.contains_key(key) { return Err(format!("the key {} is there, with {} values", key, self.entries[key].len())); }
        let list = self.entries.entry(key.to_string()).or_insert_with(Vec::new); list.push(value);
        match observer(key, value) { true => Ok(list.len()), false if self.limit > 10 => Ok(0), false => Err("refused".to_string()) }
    }
}
impl fmt::Display for Store { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "{} of {}", self.entries.len(), self.limit) } }
