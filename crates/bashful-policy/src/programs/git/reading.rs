//! Subcommands of git that only read, with the flags that keep them so.

use crate::facts::Argument;

use super::super::shape::{Shapes, guarded};
use super::Nested;

/// All of them, with the forms of each, sorted by name.
#[rustfmt::skip]
pub(super) const SUBCOMMANDS: Shapes = &[
    (&["annotate", "blame"], guarded("#bC?cefhlL:M?npsS:tw",
        "root show-stats porcelain line-porcelain incremental encoding= date= progress no-progress \
         color-lines color-by-age show-name show-number show-email abbrev= ignore-rev= \
         ignore-revs-file= score-debug minimal reverse first-parent since= contents=")),
    (&["branch"], guarded("alrvqi", BRANCH).relaxed().each(never)),
    // With a flag that says so it lists, and takes patterns.
    (&["branch"], guarded("l!arvi", BRANCH)),
    (&["cat-file"], guarded("tspe",
        "textconv filters path= batch? batch-check? batch-command? batch-all-objects buffer \
         follow-symlinks unordered allow-unknown-type use-mailmap mailmap filter=")),
    (&["check-attr"], guarded("az", "all stdin cached source=")),
    (&["check-ignore"], guarded("qvnz", "quiet verbose stdin non-matching no-index")),
    (&["check-mailmap"], guarded("", "stdin")),
    (&["check-ref-format"], guarded("", "allow-onelevel refspec-pattern normalize branch")),
    (&["cherry"], guarded("v", "abbrev?")),
    (&["clean"], guarded("n!dfxXqe:", "dry-run! quiet exclude= force -interactive")),
    (&["count-objects"], guarded("vH", "verbose human-readable")),
    (&["describe"], guarded("",
        "all tags contains abbrev? candidates= exact-match debug long match= exclude= always \
         first-parent dirty? broken?")),
    (&["diff", "diff-files", "diff-index", "diff-tree", "range-diff"],
        guarded("#abB?C?cDfG:hiI:l:M?mnO:pqrRsS:tTuU:vwWX?z",
        "patch no-patch unified= raw patch-with-raw patch-with-stat indent-heuristic \
         no-indent-heuristic minimal patience histogram anchored= diff-algorithm= stat? \
         compact-summary numstat shortstat dirstat? cumulative dirstat-by-file? summary name-only \
         name-status submodule? color? no-color color-moved? no-color-moved color-moved-ws= \
         no-color-moved-ws word-diff? word-diff-regex= color-words? no-renames rename-empty \
         no-rename-empty check ws-error-highlight= full-index binary abbrev? break-rewrites? \
         find-renames? find-copies? find-copies-harder irreversible-delete diff-filter= \
         find-object= pickaxe-all pickaxe-regex relative? no-relative text ignore-cr-at-eol \
         ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines \
         ignore-matching-lines= inter-hunk-context= function-context exit-code quiet no-ext-diff \
         textconv no-textconv ignore-submodules? src-prefix= dst-prefix= no-prefix default-prefix \
         line-prefix= ita-invisible-in-index cached staged merge-base no-index root stdin cc \
         combined-all-paths base ours theirs dual-color no-dual-color creation-factor= left-only \
         right-only pretty? no-commit-id always rotate-to= skip-to= stat-width= stat-name-width= \
         stat-count= stat-graph-width= -output= -ext-diff output-indicator-new= \
         output-indicator-old= output-indicator-context=")),
    (&["for-each-ref"], guarded("spt",
        "count= sort= format= color? points-at= merged? no-merged? contains? no-contains? \
         ignore-case omit-empty exclude= include-root-refs stdin")),
    (&["fsck"], guarded("v",
        "tags root unreachable cache no-reflogs full connectivity-only strict verbose progress \
         no-progress name-objects no-dangling dangling no-full")),
    (&["get-tar-commit-id"], guarded("", "").at_most(0)),
    (&["grep"], guarded("#aA:B:C:cde:EFf:GhHIilLm:nopPqrtvwWz",
        "text textconv no-textconv ignore-case max-depth= recursive no-recursive word-regexp \
         invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number \
         column files-with-matches name-only files-without-match null only-matching count color? \
         no-color break heading show-function context= after-context= before-context= \
         function-context max-count= threads= and or not all-match quiet cached untracked no-index \
         exclude-standard no-exclude-standard recurse-submodules parent-basename= \
         -open-files-in-pager? -ext-grep")),
    (&["hash-object"], guarded("t:", "stdin stdin-paths path= no-filters")),
    (&["log", "rev-list", "show", "whatchanged"], guarded(LOG_SHORT, LOG)),
    (&["ls-files"], guarded("cdimostuvfkz#x:X:",
        "cached deleted modified others ignored stage unmerged killed exclude= exclude-from= \
         exclude-per-directory= exclude-standard error-unmatch full-name recurse-submodules \
         abbrev? debug eol deduplicate directory no-empty-directory with-tree= sparse format= \
         resolve-undo")),
    (&["ls-tree"], guarded("drtlz",
        "long name-only name-status object-only full-name full-tree abbrev? format=")),
    (&["merge-base"], guarded("a", "all octopus independent is-ancestor fork-point")),
    (&["name-rev"],
        guarded("", "tags refs= exclude= all stdin annotate-stdin name-only no-undefined always")),
    (&["patch-id"], guarded("", "stable unstable verbatim").at_most(0)),
    (&["reflog"], guarded(LOG_SHORT, LOG).each(is_no_reflog_verb)),
    (&["remote"], guarded("v", "verbose").at_most(0)),
    (&["rev-parse"], guarded("q",
        "parseopt sq-quote keep-dashdash stop-at-non-option stuck-long revs-only no-revs flags \
         no-flags default= prefix= verify quiet sq short? not abbrev-ref? symbolic \
         symbolic-full-name output-object-format= all branches? tags? remotes? glob= exclude= \
         exclude-hidden= disambiguate= local-env-vars path-format= git-dir absolute-git-dir \
         git-common-dir resolve-git-dir= git-path= show-toplevel show-prefix show-cdup \
         show-superproject-working-tree show-ref-format? is-inside-git-dir is-inside-work-tree \
         is-bare-repository is-shallow-repository shared-index-path since= after= until= before= \
         show-object-format?")),
    (&["shortlog"], guarded("nsecw?#",
        "numbered summary email committer group= format= since= until= after= before= author= all \
         no-merges merges branches? tags? remotes? date=")),
    (&["show-branch"], guarded("artg?",
        "all remotes current topo-order date-order sparse more= list merge-base independent \
         no-name sha1-name topics reflog? color? no-color")),
    (&["show-ref"],
        guarded("dqs?", "head heads branches tags dereference hash? verify abbrev? quiet exists")),
    (&["status"], guarded("sbvzu?",
        "short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? \
         ignored? column? no-column ahead-behind no-ahead-behind renames no-renames \
         find-renames?")),
    (&["stripspace"], guarded("sc", "strip-comments comment-lines").at_most(0)),
    (&["symbolic-ref"], guarded("q", "short quiet recurse no-recurse -delete").at_most(1)),
    (&["tag"], guarded("ln#i", TAG).relaxed().each(never)),
    // With a flag that says so it lists, and takes patterns.
    (&["tag"], guarded("l!n#i", TAG)),
    (&["var"], guarded("l", "")),
    (&["verify-commit"], guarded("v", "verbose raw")),
    (&["verify-pack"], guarded("vs", "verbose stat-only")),
    (&["verify-tag"], guarded("v", "verbose raw format=")),
    (&["version"], guarded("", "build-options").at_most(0)),
];

/// Subcommands with a verb of their own.
#[rustfmt::skip]
pub(super) const NESTED: Nested = &[
    ("bisect", &["log"], guarded("", "").at_most(0)),
    ("bisect", &["terms"], guarded("", "term-good term-bad term-old term-new")),
    ("bundle", &["list-heads"], guarded("", "")),
    ("bundle", &["verify"], guarded("q", "quiet")),
    ("commit-graph", &["verify"], guarded("", "shallow progress no-progress")),
    ("lfs", &["env", "version"], guarded("", "").at_most(0)),
    ("lfs", &["ls-files"], guarded("lsnad", "long size name-only all debug")),
    ("lfs", &["status"], guarded("pj", "porcelain json")),
    ("notes", &["list", "show"], guarded("", "")),
    ("reflog", &["exists"], guarded("", "")),
    ("reflog", &["list"], guarded("", "").at_most(0)),
    ("reflog", &["show"], guarded(LOG_SHORT, LOG)),
    ("remote", &["get-url"], guarded("", "push all")),
    ("remote", &["show"], guarded("n!", "")),
    ("rerere", &["diff", "status"], guarded("", "")),
    ("sparse-checkout", &["list"], guarded("", "").at_most(0)),
    ("stash", &["list", "show"], guarded(LOG_SHORT, LOG)),
    ("submodule", &["status"], guarded("q", "cached recursive quiet")),
    ("submodule", &["summary"], guarded("n:", "cached files summary-limit=")),
    ("worktree", &["list"], guarded("vz", "porcelain verbose expire=").at_most(0)),
];

/// `git branch` lists only as long as no name is given; see also [`BRANCH`].
fn never(_: usize, _: &Argument) -> bool {
    false
}

/// `git reflog HEAD` shows; `git reflog expire` and `delete` do not.
fn is_no_reflog_verb(_: usize, operand: &Argument) -> bool {
    operand.is_known()
        && !matches!(
            operand.text.as_str(),
            "expire" | "delete" | "drop" | "write" | "migrate"
        )
}

const BRANCH: &str = "all list! remotes verbose show-current sort= format= contains= no-contains= \
    merged= no-merged= points-at= color? no-color column? no-column abbrev? no-abbrev ignore-case \
    omit-empty -delete -move -copy -force -edit-description -unset-upstream -set-upstream-to= \
    -set-upstream -track -create-reflog";

const TAG: &str = "list! sort= format= contains= no-contains= merged= no-merged= points-at= column? \
    no-column color? ignore-case omit-empty -delete -annotate -sign -force -message= -file= -edit \
    -cleanup= -local-user= -verify -create-reflog";

const LOG_SHORT: &str = "#abB?C?cdDeEFfG:ghiI:kL:l:M?mn:O:pPqrRsS:tTuU:vwWxX?z";
const LOG: &str = "follow decorate? no-decorate decorate-refs= decorate-refs-exclude= clear-decorations \
    source mailmap no-mailmap use-mailmap log-size max-count= skip= since= since-as-filter= after= until= before= \
    author= committer= grep-reflog= grep= all-match invert-grep regexp-ignore-case basic-regexp \
    extended-regexp fixed-strings perl-regexp remove-empty merges no-merges min-parents= \
    max-parents= no-min-parents no-max-parents first-parent exclude-first-parent-only not all \
    branches? tags? remotes? glob= exclude= exclude-hidden= reflog alternate-refs single-worktree \
    ignore-missing bisect stdin cherry-mark cherry-pick left-only right-only cherry walk-reflogs \
    merge boundary simplify-by-decoration show-pulls full-history dense sparse simplify-merges \
    ancestry-path? date-order author-date-order topo-order reverse no-walk? do-walk pretty? \
    format= abbrev-commit no-abbrev-commit oneline encoding= expand-tabs? no-expand-tabs notes? \
    no-notes show-notes? show-notes-by-default standard-notes no-standard-notes show-signature relative-date date= parents children \
    left-right graph no-graph show-linear-break? count timestamp header objects objects-edge \
    objects-edge-aggressive use-bitmap-index no-object-names object-names filter= no-filter \
    disk-usage? missing= quiet diff-merges= no-diff-merges remerge-diff combined-all-paths \
    patch no-patch unified= raw patch-with-raw patch-with-stat indent-heuristic \
    no-indent-heuristic minimal patience histogram anchored= diff-algorithm= stat? compact-summary \
    numstat shortstat dirstat? cumulative dirstat-by-file? summary name-only name-status \
    submodule? color? no-color color-moved? no-color-moved color-moved-ws= word-diff? \
    word-diff-regex= color-words? no-renames rename-empty no-rename-empty check \
    ws-error-highlight= full-index binary abbrev? no-abbrev break-rewrites? find-renames? \
    find-copies? find-copies-harder irreversible-delete diff-filter= find-object= pickaxe-all \
    pickaxe-regex relative? no-relative text ignore-cr-at-eol ignore-space-at-eol \
    ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= \
    inter-hunk-context= function-context exit-code no-ext-diff textconv no-textconv \
    ignore-submodules? src-prefix= dst-prefix= no-prefix default-prefix line-prefix= cc root \
    include-untracked only-untracked no-include-untracked stat-width= stat-name-width= stat-count= -output= -ext-diff";
