//! Dotted names with an operator of bash, such as `${a.b:-x}`: neither a template nor bash.

use std::fmt::Write as _;

use super::calls::Objection;
use super::error::{Refusal, TemplateError};
use super::name::{self, TemplateName};
use super::read::refusal;
use super::search::{Way, find};
use super::site::{Form, Found};

/// A dotted name with an operator or more text behind it in its braces.
struct Misused {
    start: usize,
    end: usize,
    name: TemplateName,
}

/// Refuses a script in which bash would come to such a name, and give up there.
pub(super) fn check(script: &str) -> Result<(), TemplateError> {
    let misused = all(script);
    if misused.is_empty() {
        return Ok(());
    }
    // Whether bash would expand it is what it would be for a plain template in its place.
    let mut plain = String::with_capacity(script.len());
    let mut starts = Vec::new();
    let mut at = 0;
    for one in &misused {
        plain.push_str(script.get(at..one.start).unwrap_or_default());
        starts.push(plain.len());
        let _ = write!(plain, "${{{}}}", one.name);
        at = one.end;
    }
    plain.push_str(script.get(at..).unwrap_or_default());
    let candidates = name::candidates(&plain);
    let Ok(found) = find(&plain, &candidates, Way::Commands) else {
        // The caller reads the script as it stands, and reports what is wrong with it.
        return Ok(());
    };
    let expanded = candidates.iter().zip(found).filter(|(_, found)| {
        let literal = matches!(found, Found::Site(site) if matches!(
            site.form,
            Form::Single | Form::Ansi | Form::Document { .. }
        ));
        !literal && !matches!(found, Found::Text)
    });
    let expanded: Vec<usize> = expanded.map(|(candidate, _)| candidate.start).collect();
    let refused = misused.iter().zip(starts);
    let refused = refused.filter(|(_, start)| expanded.contains(start));
    let refusals: Vec<Refusal> = refused
        .map(|(one, _)| refused_because(script, one))
        .collect();
    if refusals.is_empty() {
        Ok(())
    } else {
        Err(TemplateError::Refused(refusals))
    }
}

fn refused_because(script: &str, one: &Misused) -> Refusal {
    let written = script.get(one.start..one.end).unwrap_or_default();
    let shown: String = written.chars().take(60).collect();
    let why = format!("is written as `{shown}`, which is neither a template nor bash");
    let instead = match written.split_once(":-") {
        Some((_, rest)) if written.starts_with(&format!("${{{}:-", one.name)) => {
            let usual: String = rest.trim_end_matches('}').chars().take(60).collect();
            format!(
                "write `${{…}}`, and declare what it usually holds: `--variable {}={usual}`",
                one.name
            )
        }
        _ => "give it to a variable first, `value=${…}`, and use that".to_owned(),
    };
    let candidate = name::Candidate {
        start: one.start,
        end: one.end,
        name: one.name.clone(),
    };
    let objection = Objection {
        why: why.into(),
        instead: instead.into(),
    };
    refusal(script, &candidate, objection)
}

/// All of them, in order; what stands inside another is a part of it.
fn all(script: &str) -> Vec<Misused> {
    let mut found: Vec<Misused> = Vec::new();
    for (start, _) in script.match_indices("${") {
        if found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let rest = script.get(start + 2..).unwrap_or_default();
        let sign = usize::from(rest.starts_with(['#', '!']));
        let named = rest.get(sign..).unwrap_or_default();
        let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
        let length = named.bytes().position(|byte| !inside(byte));
        let length = length.unwrap_or(named.len());
        let operator = named.as_bytes().get(length).copied();
        let is_plain = sign == 0 && operator == Some(b'}');
        let name = named.get(..length).and_then(TemplateName::parse);
        if let (Some(name), false, Some(_)) = (name, is_plain, operator) {
            let from = start + 2 + sign + length;
            if let Some(end) = closing(script, from) {
                found.push(Misused { start, end, name });
            }
        }
    }
    found
}

/// Behind the brace that closes what is open here, in the same line.
fn closing(script: &str, from: usize) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, byte) in script.bytes().enumerate().skip(from) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::check_template;

    #[test]
    fn operators_on_dotted_names_are_refused_with_a_way() {
        let told = |script: &str| check_template(script).err().map(|error| error.to_string());
        let refused = [
            (
                "echo\necho ${a.b:-x}", "line 2, column 6", "`--variable a.b=x`",
            ),
            ("echo \"${a.b%.txt}\"", "line 1, column 7", "`value=${a.b}`"),
            ("echo ${#a.b}", "line 1, column 6", "value="),
            ("x=${a.b^^}", "column 3", "value="),
            ("cat <<EOF\n${a.b/x/y}\nEOF", "line 2, column 1", "value="),
            ("echo ${c.d} ${!a.b}", "column 13", "value="),
        ];
        for (script, place, way) in refused {
            let told = told(script).unwrap_or_default();
            assert!(
                told.contains(place) && told.contains(way),
                "{script}: {told}"
            );
        }
        let fine = [
            "# ${a.b:-x}",
            "echo '${a.b:-x}'",
            "cat <<'EOF'\n${server.port:8080}\nEOF",
            "echo \\${a.b:-x}",
            "echo ${x:-a.b} ${x/a.b/c} ${a[1]} ${x#a.b} ${#x}",
            "echo ${x:-${a.b}}",
        ];
        for script in fine {
            assert_eq!(told(script), None, "{script}");
        }
    }
}
