//! Subcommands of git that change this repository alone and take nothing away for good.

use crate::context::Context;
use crate::facts::{Argument, Call};

use super::super::shape::{Shape, Shapes, guarded, has_shape};
use super::super::verdict::Verdict;
use super::{GitCommand, Nested, has_shape_of_verb, is_at_home, is_inside};

/// Whether a subcommand works on this repository alone.
pub(super) fn judge(call: &Call, command: &GitCommand<'_>, context: &Context) -> Option<Verdict> {
    let GitCommand {
        name, arguments, ..
    } = *command;
    let open_ended = call.open_ended;
    if name == "push" {
        return PUSH.fits(arguments, open_ended).then_some(Verdict::allows(
            "git-local",
            "tries a push without sending anything",
        ));
    }
    if !is_at_home(call, context) || !outputs_stay_inside(call, command, context) {
        return None;
    }
    let fits = has_shape(SUBCOMMANDS, name, arguments, open_ended)
        || has_shape_of_verb(NESTED, command, call);
    fits.then_some(Verdict::GIT_LOCAL)
}

/// Whether the directories and files that a subcommand makes lie where this run may write.
fn outputs_stay_inside(call: &Call, command: &GitCommand<'_>, context: &Context) -> bool {
    let arguments = command.arguments;
    match command.name {
        "init" => arguments
            .iter()
            .filter(|argument| !argument.known().starts_with('-'))
            .all(|argument| is_inside(argument, call, context)),
        "worktree" | "bundle" => arguments
            .iter()
            .skip(1)
            .filter(|argument| looks_like_path(argument))
            .all(|argument| is_inside(argument, call, context)),
        "archive" => inside_values(call, context, arguments, ('o', "output")),
        "format-patch" => inside_values(call, context, arguments, ('o', "output-directory")),
        _ => true,
    }
}

fn looks_like_path(argument: &Argument) -> bool {
    !argument.is_known()
        || argument.text.starts_with(['/', '.', '~'])
        || argument.text.contains('/')
}

fn inside_values(
    call: &Call,
    context: &Context,
    arguments: &[Argument],
    (short, long): (char, &str),
) -> bool {
    crate::arguments::values_of(arguments, short, long)
        .iter()
        .all(|value| is_inside(value, call, context))
}

/// `git push -n` says what it would do.
const PUSH: Shape = guarded(
    "n!fquv46do:",
    "dry-run! force force-with-lease? force-if-includes all branches mirror tags follow-tags \
     delete set-upstream porcelain quiet verbose progress no-progress atomic no-verify prune ipv4 ipv6 \
     thin no-thin push-option= signed? no-signed -receive-pack= -exec= -repo= recurse-submodules=",
)
.each(is_no_command_address);

/// An address with `::` names a program that transports.
fn is_no_command_address(_: usize, operand: &Argument) -> bool {
    operand.is_known() && !operand.text.contains("::")
}

/// A name to be made, and what it stands for.
fn is_new_name(position: usize, operand: &Argument) -> bool {
    position < 2 && !operand.splits && operand.is_known()
}

/// One bare name: `git checkout main`. What names files has other forms.
fn is_one_branch(position: usize, operand: &Argument) -> bool {
    position == 0
        && operand.is_literal()
        && operand.text != "."
        && !operand.text.starts_with(['/', ':', '.'])
        && !operand.text.ends_with('/')
}

/// Subcommands with the forms of each, sorted by name.
#[rustfmt::skip]
pub(super) const SUBCOMMANDS: Shapes = &[
    (&["add"], guarded("nvAufN",
        "dry-run verbose all update force intent-to-add no-all ignore-removal refresh \
         ignore-errors ignore-missing renormalize chmod= pathspec-from-file= pathspec-file-nul \
         sparse -edit -interactive -patch")),
    (&["am"], guarded("3ks",
        "3way keep signoff continue skip abort quit no-verify ignore-whitespace \
         ignore-space-change whitespace= -directory= exclude= include= reject message-id \
         committer-date-is-author-date ignore-date show-current-patch? quiet no-gpg-sign scissors \
         keep-cr no-keep-cr patch-format= -interactive -resolvemsg=")),
    (&["apply"], guarded("3vRpC:zqN",
        "3way check stat numstat summary index cached reverse reject verbose quiet recount \
         whitespace= ignore-whitespace ignore-space-change unidiff-zero apply exclude= include= \
         -directory= allow-empty inaccurate-eof intent-to-add binary allow-binary-replacement \
         -unsafe-paths -build-fake-ancestor=")),
    (&["archive"], guarded("lvo:#",
        "format= list verbose prefix= output= worktree-attributes mtime= add-file= -remote= \
         -exec=")),
    (&["branch"], guarded("qt?",
        "quiet track? no-track create-reflog recurse-submodules -force -delete -move -copy \
         -edit-description").each(is_new_name)),
    // Without force git deletes a branch only when it is merged, and never overwrites one.
    (&["branch"], guarded("d!m!c!rq", "delete! move! copy! remotes quiet -force")),
    (&["branch"], guarded("u:!q", "set-upstream-to=! unset-upstream! quiet -force")),
    (&["checkout"], guarded("b:!tq",
        "track? no-track quiet progress no-progress orphan=! -force -merge -conflict= -patch")
        .each(is_new_name)),
    (&["checkout"], guarded("qdt",
        "quiet detach progress no-progress track? no-track guess no-guess recurse-submodules \
         -force -merge -ours -theirs -patch -overlay").each(is_one_branch)),
    (&["cherry-pick"], guarded("nxsm:X:",
        "no-commit signoff mainline= ff allow-empty allow-empty-message keep-redundant-commits \
         empty= continue abort skip quit strategy-option= no-gpg-sign no-rerere-autoupdate \
         rerere-autoupdate cleanup= -edit -strategy= -gpg-sign?")),
    // A message has to be given, or git starts an editor.
    (&["commit"], guarded("avqsnm:!F:!C:!ipou?z",
        "all message=! file=! reuse-message=! no-edit! fixup=! verbose quiet signoff no-signoff \
         no-verify verify amend allow-empty allow-empty-message author= date= reset-author \
         dry-run! short! porcelain! long! status no-status only include no-post-rewrite trailer= \
         cleanup= untracked-files? no-gpg-sign pathspec-from-file= pathspec-file-nul squash= \
         branch null -edit -interactive -patch -template= -reedit-message= -gpg-sign?")),
    (&["commit-tree"], guarded("p:m:F:", "")),
    (&["format-patch"], guarded("#o:nNkv:spM?",
        "output-directory= numbered no-numbered stdout keep-subject signoff cover-letter thread? \
         no-thread attach? inline? subject-prefix= rfc to= cc= in-reply-to= start-number= \
         reroll-count= base= root no-signature signature= zero-commit suffix= quiet stat? no-stat \
         range-diff= interdiff= numbered-files notes? full-index binary -output= -ext-diff")),
    (&["gc"],
        guarded("q", "auto! quiet detach no-detach -prune? -aggressive -force -cruft").at_most(0)),
    (&["init"], guarded("qb:",
        "quiet bare initial-branch= object-format= ref-format= -template= -separate-git-dir= \
         -shared?")),
    (&["merge"], guarded("nqvm:F:X:",
        "commit no-commit ff no-ff ff-only log? no-log stat no-stat squash no-squash \
         verify-signatures no-verify quiet verbose progress no-progress signoff \
         allow-unrelated-histories message= file= into-name= abort continue quit autostash \
         no-autostash no-edit strategy-option= rerere-autoupdate no-rerere-autoupdate no-gpg-sign \
         cleanup= -edit -strategy= -gpg-sign?")),
    (&["mv"], guarded("knv", "dry-run verbose sparse -force")),
    (&["prune-packed"], guarded("nq", "dry-run quiet")),
    (&["rebase"], guarded("rnvqkmX:C:",
        "continue abort skip quit onto= keep-base root no-ff fork-point no-fork-point autosquash \
         no-autosquash autostash no-autostash rebase-merges? no-rebase-merges verbose quiet stat \
         no-stat verify no-verify update-refs no-update-refs committer-date-is-author-date \
         ignore-date reset-author-date signoff keep-empty no-keep-empty empty= \
         reapply-cherry-picks no-reapply-cherry-picks apply merge strategy-option= \
         ignore-whitespace whitespace= rerere-autoupdate no-gpg-sign allow-empty-message -exec= \
         -interactive -edit-todo -strategy= -gpg-sign? -show-current-patch")),
    (&["reset"], guarded("qN",
        "mixed soft quiet no-quiet refresh no-refresh intent-to-add pathspec-from-file= \
         pathspec-file-nul recurse-submodules -hard -merge -keep -patch")),
    (&["restore"], guarded("Sqs:",
        "staged! source= quiet progress no-progress pathspec-from-file= pathspec-file-nul \
         ignore-unmerged -worktree -patch -overlay")),
    (&["revert"], guarded("n!sm:X:",
        "no-edit! no-commit! mainline= signoff abort! continue! skip! quit! strategy-option= \
         no-gpg-sign reference -edit -strategy= -gpg-sign?")),
    (&["rm"], guarded("nrq",
        "dry-run cached ignore-unmatch quiet sparse pathspec-from-file= pathspec-file-nul -force")),
    // `git stash` alone keeps everything aside.
    (&["stash"], guarded("uakqSm:",
        "include-untracked all keep-index no-keep-index quiet staged message= -patch").at_most(0)),
    (&["switch"], guarded("cdtq",
        "create detach track? no-track guess no-guess quiet progress no-progress orphan \
         recurse-submodules ignore-other-worktrees -force -discard-changes -force-create= -merge \
         -conflict=")),
    // A tag with a message has to have it here, or git starts an editor.
    (&["tag"], guarded("q", TAG_LONG).relaxed().each(is_new_name)),
    (&["tag"], guarded("am:!F:!q", TAG_LONG).each(is_new_name)),
    (&["update-index"], guarded("q",
        "refresh really-refresh chmod= assume-unchanged no-assume-unchanged skip-worktree \
         no-skip-worktree add")),
];

const TAG_LONG: &str = "message=! file=! cleanup= no-sign create-reflog -annotate -delete -force \
    -edit -sign -local-user= -verify -list";

/// Subcommands with a verb of their own.
#[rustfmt::skip]
const NESTED: Nested = &[
    ("bisect", &["bad", "good", "new", "old", "reset", "skip"], guarded("", "")),
    ("bisect", &["start"], guarded("", "no-checkout first-parent")),
    ("bundle", &["create"], guarded("q", "quiet all branches? tags? progress")),
    ("notes", &["add"], guarded("m:!F:!", "message=! file=! -force")),
    ("notes", &["append"], guarded("m:!F:!", "message=! file=!")),
    ("remote", &["add"],
        guarded("t:m:", "no-tags tags -fetch -mirror?").each(is_no_command_address)),
    ("remote", &["rename"], guarded("", "")),
    ("stash", &["apply", "pop"], guarded("q", "index quiet")),
    ("stash", &["branch", "create"], guarded("", "")),
    ("stash", &["push"], guarded("uakqSm:",
        "include-untracked all keep-index no-keep-index quiet staged message= pathspec-from-file= \
         pathspec-file-nul -patch")),
    ("stash", &["save"],
        guarded("uakqS", "include-untracked all keep-index no-keep-index quiet staged -patch")),
    ("submodule", &["init"], guarded("q", "quiet")),
    ("worktree", &["add"], guarded("b:dq",
        "detach checkout no-checkout track no-track lock guess-remote no-guess-remote quiet orphan \
         reason= -force")),
    ("worktree", &["lock"], guarded("", "reason=")),
    ("worktree", &["prune"], guarded("nv", "dry-run verbose expire=")),
    ("worktree", &["unlock"], guarded("", "")),
];
