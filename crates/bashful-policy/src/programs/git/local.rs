//! Subcommands of git that change this repository alone and take nothing away for good.

use crate::context::Context;
use crate::facts::{Argument, Call};

use super::super::readonly;
use super::super::shape::{Shape, shape};
use super::super::verdict::Verdict;
use super::{GitCommand, is_at_home, is_inside};

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
    let fits = readonly::find(SUBCOMMANDS, name)
        .is_some_and(|shape| shape.fits(arguments, open_ended))
        || forms(name)
            .iter()
            .any(|shape| shape.fits(arguments, open_ended))
        || NESTED.iter().any(|(subcommand, verb, shape)| {
            *subcommand == name
                && arguments.split_first().is_some_and(|(first, rest)| {
                    first.is_literal() && first.text == *verb && shape.fits(rest, open_ended)
                })
        });
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
const PUSH: Shape = shape(
    "push",
    "n!fquv46do:",
    "dry-run! force force-with-lease? force-if-includes all branches mirror tags follow-tags delete \
     set-upstream porcelain quiet verbose progress no-progress atomic no-verify prune ipv4 ipv6 \
     thin no-thin push-option= signed? no-signed -receive-pack= -exec= -repo= \
     recurse-submodules=",
)
.guarded()
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

/// Subcommands with one form, sorted by name.
pub(super) const SUBCOMMANDS: &[Shape] = &[
    shape(
        "add",
        "nvAufN",
        "dry-run verbose all update force intent-to-add no-all ignore-removal \
        refresh ignore-errors ignore-missing renormalize chmod= pathspec-from-file= \
        pathspec-file-nul sparse -edit -interactive -patch",
    )
    .guarded(),
    shape(
        "am",
        "3ks",
        "3way keep signoff continue skip abort quit no-verify ignore-whitespace \
        ignore-space-change whitespace= -directory= exclude= include= reject message-id \
        committer-date-is-author-date ignore-date show-current-patch? quiet no-gpg-sign scissors \
        keep-cr no-keep-cr patch-format= -interactive -resolvemsg=",
    )
    .guarded(),
    shape(
        "apply",
        "3vRpC:zqN",
        "3way check stat numstat summary index cached reverse reject verbose \
        quiet recount whitespace= ignore-whitespace ignore-space-change unidiff-zero apply \
        exclude= include= -directory= allow-empty inaccurate-eof intent-to-add binary \
        allow-binary-replacement -unsafe-paths -build-fake-ancestor=",
    )
    .guarded(),
    shape(
        "archive",
        "lvo:#",
        "format= list verbose prefix= output= worktree-attributes mtime= \
        add-file= -remote= -exec=",
    )
    .guarded(),
    shape(
        "cherry-pick",
        "nxsm:X:",
        "no-commit signoff mainline= ff allow-empty \
        allow-empty-message keep-redundant-commits empty= continue abort skip quit \
        strategy-option= no-gpg-sign no-rerere-autoupdate rerere-autoupdate cleanup= -edit \
        -strategy= -gpg-sign?",
    )
    .guarded(),
    shape("commit-tree", "p:m:F:", "").guarded(),
    shape(
        "format-patch",
        "#o:nNkv:spM?",
        "output-directory= numbered no-numbered stdout keep-subject \
        signoff cover-letter thread? no-thread attach? inline? subject-prefix= rfc to= cc= \
        in-reply-to= start-number= reroll-count= base= root no-signature signature= zero-commit \
        suffix= quiet stat? no-stat range-diff= interdiff= numbered-files notes? full-index binary \
        -output= -ext-diff",
    )
    .guarded(),
    shape(
        "gc",
        "q",
        "auto! quiet detach no-detach -prune? -aggressive -force -cruft",
    )
    .guarded()
    .at_most(0),
    shape(
        "init",
        "qb:",
        "quiet bare initial-branch= object-format= ref-format= -template= \
        -separate-git-dir= -shared?",
    )
    .guarded(),
    shape(
        "merge",
        "nqvm:F:X:",
        "commit no-commit ff no-ff ff-only log? no-log stat no-stat squash \
        no-squash verify-signatures no-verify quiet verbose progress no-progress signoff \
        allow-unrelated-histories message= file= into-name= abort continue quit autostash \
        no-autostash no-edit strategy-option= rerere-autoupdate no-rerere-autoupdate no-gpg-sign \
        cleanup= -edit -strategy= -gpg-sign?",
    )
    .guarded(),
    shape("mv", "knv", "dry-run verbose sparse -force").guarded(),
    shape("prune-packed", "nq", "dry-run quiet").guarded(),
    shape("rebase", "rnvqkmX:C:", REBASE).guarded(),
    shape(
        "reset",
        "qN",
        "mixed soft quiet no-quiet refresh no-refresh intent-to-add \
        pathspec-from-file= pathspec-file-nul recurse-submodules -hard -merge -keep -patch",
    )
    .guarded(),
    shape(
        "restore",
        "Sqs:",
        "staged! source= quiet progress no-progress pathspec-from-file= \
        pathspec-file-nul ignore-unmerged -worktree -patch -overlay",
    )
    .guarded(),
    shape(
        "revert",
        "n!sm:X:",
        "no-edit! no-commit! mainline= signoff abort! continue! skip! quit! \
        strategy-option= no-gpg-sign reference -edit -strategy= -gpg-sign?",
    )
    .guarded(),
    shape(
        "rm",
        "nrq",
        "dry-run cached ignore-unmatch quiet sparse pathspec-from-file= \
        pathspec-file-nul -force",
    )
    .guarded(),
    shape(
        "switch",
        "cdtq",
        "create detach track? no-track guess no-guess quiet progress no-progress \
        orphan recurse-submodules ignore-other-worktrees -force -discard-changes -force-create= \
        -merge -conflict=",
    )
    .guarded(),
    shape(
        "update-index",
        "q",
        "refresh really-refresh chmod= assume-unchanged no-assume-unchanged \
        skip-worktree no-skip-worktree add",
    )
    .guarded(),
];

const REBASE: &str = "continue abort skip quit onto= keep-base root no-ff fork-point no-fork-point \
    autosquash no-autosquash autostash no-autostash rebase-merges? no-rebase-merges verbose quiet \
    stat no-stat verify no-verify update-refs no-update-refs committer-date-is-author-date \
    ignore-date reset-author-date signoff keep-empty no-keep-empty empty= reapply-cherry-picks \
    no-reapply-cherry-picks apply merge strategy-option= ignore-whitespace whitespace= \
    rerere-autoupdate no-gpg-sign allow-empty-message -exec= -interactive -edit-todo -strategy= \
    -gpg-sign? -show-current-patch";

/// Subcommands whose flags make different things of their operands.
fn forms(name: &str) -> &'static [Shape] {
    match name {
        "commit" => COMMIT,
        "branch" => BRANCH,
        "checkout" => CHECKOUT,
        "stash" => STASH,
        "tag" => TAG,
        _ => &[],
    }
}

/// A message has to come from somewhere, or git starts an editor.
const COMMIT: &[Shape] = &[shape(
    "commit",
    "avqsnm:!F:!C:!ipou?z",
    "all message=! file=! reuse-message=! no-edit! fixup=! verbose quiet signoff no-signoff \
     no-verify verify amend allow-empty allow-empty-message author= date= reset-author dry-run! \
     short! porcelain! long! status no-status only include no-post-rewrite trailer= cleanup= \
     untracked-files? no-gpg-sign pathspec-from-file= pathspec-file-nul squash= branch null \
     -edit -interactive -patch -template= -reedit-message= -gpg-sign?",
)
.guarded()];

const BRANCH: &[Shape] = &[
    shape(
        "branch",
        "qt?",
        "quiet track? no-track create-reflog recurse-submodules -force -delete \
        -move -copy -edit-description",
    )
    .guarded()
    .each(is_new_name),
    // Without force git deletes a branch only when it is merged, and never overwrites one.
    shape(
        "branch",
        "d!m!c!rq",
        "delete! move! copy! remotes quiet -force",
    )
    .guarded(),
    shape(
        "branch",
        "u:!q",
        "set-upstream-to=! unset-upstream! quiet -force",
    )
    .guarded(),
];

const CHECKOUT: &[Shape] = &[
    shape(
        "checkout",
        "b:!tq",
        "track? no-track quiet progress no-progress orphan=! -force -merge \
        -conflict= -patch",
    )
    .guarded()
    .each(is_new_name),
    shape(
        "checkout",
        "qdt",
        "quiet detach progress no-progress track? no-track guess no-guess \
        recurse-submodules -force -merge -ours -theirs -patch -overlay",
    )
    .guarded()
    .each(is_one_branch),
];

/// A tag with a message has to have it here, or git starts an editor.
const TAG: &[Shape] = &[
    shape("tag", "q", TAG_LONG)
        .relaxed()
        .guarded()
        .each(is_new_name),
    shape("tag", "am:!F:!q", TAG_LONG)
        .guarded()
        .each(is_new_name),
];
const TAG_LONG: &str = "message=! file=! cleanup= no-sign create-reflog -annotate -delete -force \
    -edit -sign -local-user= -verify -list";

/// `git stash` alone keeps everything aside.
const STASH: &[Shape] = &[shape(
    "stash",
    "uakqSm:",
    "include-untracked all keep-index no-keep-index quiet staged message= -patch",
)
.guarded()
.at_most(0)];

/// Subcommands with a verb of their own.
const NESTED: &[(&str, &str, Shape)] = &[
    ("bisect", "bad", shape("", "", "").guarded()),
    ("bisect", "good", shape("", "", "").guarded()),
    ("bisect", "new", shape("", "", "").guarded()),
    ("bisect", "old", shape("", "", "").guarded()),
    ("bisect", "reset", shape("", "", "").guarded()),
    ("bisect", "skip", shape("", "", "").guarded()),
    (
        "bisect",
        "start",
        shape("", "", "no-checkout first-parent").guarded(),
    ),
    (
        "bundle",
        "create",
        shape("", "q", "quiet all branches? tags? progress").guarded(),
    ),
    (
        "notes",
        "add",
        shape("", "m:!F:!", "message=! file=! -force").guarded(),
    ),
    (
        "notes",
        "append",
        shape("", "m:!F:!", "message=! file=!").guarded(),
    ),
    (
        "remote",
        "add",
        shape("", "t:m:", "no-tags tags -fetch -mirror?")
            .guarded()
            .each(is_no_command_address),
    ),
    ("remote", "rename", shape("", "", "").guarded()),
    ("stash", "apply", shape("", "q", "index quiet").guarded()),
    ("stash", "branch", shape("", "", "").guarded()),
    ("stash", "create", shape("", "", "").guarded()),
    ("stash", "pop", shape("", "q", "index quiet").guarded()),
    (
        "stash",
        "push",
        shape(
            "",
            "uakqSm:",
            "include-untracked all keep-index no-keep-index quiet \
        staged message= pathspec-from-file= pathspec-file-nul -patch",
        )
        .guarded(),
    ),
    (
        "stash",
        "save",
        shape(
            "",
            "uakqS",
            "include-untracked all keep-index no-keep-index quiet \
        staged -patch",
        )
        .guarded(),
    ),
    ("submodule", "init", shape("", "q", "quiet").guarded()),
    (
        "worktree",
        "add",
        shape(
            "",
            "b:dq",
            "detach checkout no-checkout track no-track lock \
        guess-remote no-guess-remote quiet orphan reason= -force",
        )
        .guarded(),
    ),
    ("worktree", "lock", shape("", "", "reason=").guarded()),
    (
        "worktree",
        "prune",
        shape("", "nv", "dry-run verbose expire=").guarded(),
    ),
    ("worktree", "unlock", shape("", "", "").guarded()),
];
