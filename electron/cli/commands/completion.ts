import { Argument, type Command, type Option } from 'commander'
import { CofferError } from '../../../shared/errors.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { type CommandNode, flattenCommands, toCommandNode } from '../terminal/command-tree.ts'
import { printLine } from '../terminal/vault-options.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** `coffer completion`: prints a script that completes commands and options. */
export function completionCommand(): CofferCommand {
  return new CofferCommand('completion')
    .description('Print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices([...shells]))
    .withHelp(`Examples:
  coffer completion bash > ~/.local/share/bash-completion/completions/coffer
  coffer completion zsh > "\${fpath[1]}/_coffer"
  coffer completion fish > ~/.config/fish/completions/coffer.fish`)
    .action(async (shell: Shell, _options: unknown, command: Command) => {
      if (!command.parent) throw new CofferError('internal', 'There is no program to complete.')
      await addWords(command.parent)
      printLine(createCompletion(toCommandNode(command.parent), shell))
    })
}

/** Adds the words of arguments that take long to list: the methods and paths of `coffer api`, and the guides. */
async function addWords(program: Command): Promise<void> {
  const { listKnownRoutes } = await import('../terminal/needed-key.ts')
  const { listGuides } = await import('../actions/docs.ts')
  // A path is cut before its parameter.
  const requests = listKnownRoutes().flatMap(({ method, path }) => [method, path.replace(/\{.*/, '')])
  const words = { api: [...new Set(requests)].toSorted(), docs: listGuides() }
  for (const [name, choices] of Object.entries(words)) {
    const [argument] = program.commands.find((each) => each.name() === name)?.registeredArguments ?? []
    if (argument) argument.argChoices = choices
  }
}

/** The completion script of a program for a shell. */
export function createCompletion(program: CommandNode, shell: Shell): string {
  return { bash: renderBash, zsh: renderZsh, fish: renderFish }[shell](program)
}

/** Returns how to complete an option's value: from a list, as a file name, as the name of a vault, or not at all. */
function getValueKind({ flags, argChoices, long }: Option): 'words' | 'file' | 'vault' | 'nothing' {
  if (argChoices) return 'words'
  if (/[<[](file|dir|folder)[>\]]/.test(flags)) return 'file'
  return long === '--vault' ? 'vault' : 'nothing'
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

function getLongFlag({ long, short }: Option): string {
  return long ?? short ?? ''
}

function listArgumentChoices(leaf: CommandNode): string[] {
  return leaf.arguments.flatMap(({ argChoices }) => argChoices ?? [])
}

function takesFiles(leaf: CommandNode): boolean {
  return leaf.arguments.some((argument) => ['file', 'dir', 'command'].includes(argument.name()))
}

function listChildNames(leaf: CommandNode): string[] {
  const names = leaf.children.map((child) => child.path.at(-1) ?? '')
  return leaf.path.length === 0 ? [...names, 'help'] : names
}

/** Returns the default data folder in the syntax of a shell on this system. */
function getDataFolder(): string {
  if (process.platform === 'darwin') return '$HOME/Library/Application Support/Coffer'
  if (process.platform === 'win32') return '$APPDATA/Coffer'
  return `\${XDG_DATA_HOME:-$HOME/.local/share}/coffer`
}

/**
 * Functions for bash and zsh. `_coffer_words` takes the word being completed, then the words before it, and prints
 * one candidate per line. It returns non-zero where a file is expected.
 */
function renderShellFunctions(program: CommandNode): string {
  const leaves = flattenCommands(program)
  const joinPath = ({ path }: CommandNode) => path.join(' ')
  const renderPrint = (each: readonly string[]) =>
    `printf '%s\\n' ${each.map((word) => `'${word}'`).join(' ')}; return`
  const paths = leaves.map((leaf) => `'${joinPath(leaf)}'`).filter((path) => path !== "''")
  const valued = leaves.flatMap(({ options }) => options.filter(takesValue))
  const choices = leaves.flatMap((leaf) =>
    leaf.options
      .filter((option) => getValueKind(option) === 'words')
      .map(
        (option) =>
          `    '${joinPath(leaf)} ${getLongFlag(option)}') ${renderPrint(option.argChoices ?? [])} ;;`,
      ),
  )
  const joinOptions = (kind: ReturnType<typeof getValueKind>) =>
    [...new Set(valued.filter((option) => getValueKind(option) === kind).map(getLongFlag))].join('|')
  const cases = leaves.map((leaf) => {
    const options = [...leaf.options.map(getLongFlag), '--help']
    if (takesFiles(leaf))
      return `    '${joinPath(leaf)}') case "$current" in -*) ${renderPrint(options)} ;; *) return 1 ;; esac ;;`
    return `    '${joinPath(leaf)}') ${renderPrint([...listChildNames(leaf), ...listArgumentChoices(leaf), ...options])} ;;`
  })
  return `_coffer_vaults() {
  [ -z "$ZSH_VERSION" ] || setopt localoptions nonomatch
  local folder="\${COFFER_DATA_DIR:-${getDataFolder()}}" before='' each
  for each in "$@"; do
    [ "$before" != --data-dir ] || folder="\${each/#\\~/$HOME}"
    before="$each"
  done
  for each in "$folder"/*/vault.json; do
    [ -e "$each" ] || continue
    each="\${each%/vault.json}"
    printf '%s\\n' "\${each##*/}"
  done
}
_coffer_words() {
  local current="$1" at='' before='' word
  shift
  for word in "$@"; do
    case "\${at:+$at }$word" in
      ${paths.join('|')}) at="\${at:+$at }$word" ;;
    esac
    before="$word"
  done
  case "$at $before" in
${choices.join('\n')}
  esac
  case "$before" in
    ${joinOptions('file')}) return 1 ;;
    ${joinOptions('vault')}) _coffer_vaults "$@"; return 0 ;;
    ${joinOptions('nothing')}) return ;;
  esac
  case "$at" in
${cases.join('\n')}
  esac
}`
}

function renderBash(program: CommandNode): string {
  return `${renderShellFunctions(program)}
_coffer() {
  local current="\${COMP_WORDS[COMP_CWORD]}" found each kind='' before=() IFS=$'\\n'
  # Bash splits --option=value into three words.
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [ "$each" = = ] || before+=("$each")
    # After -- come a program and its arguments.
    [ "$kind" = '' ] || kind=-f
    [ "$each" != -- ] || kind=-cf
  done
  [ "$current" != = ] || current=''
  if [ "$kind" = '' ] && found="$(_coffer_words "$current" "\${before[@]}")"; then
    COMPREPLY=($(compgen -W "$found" -- "$current"))
  else
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "\${kind:--f}" -- "$current"))
  fi
}
complete -F _coffer coffer`
}

function renderZsh(program: CommandNode): string {
  return `#compdef coffer
${renderShellFunctions(program)}
_coffer() {
  local found each current="\${words[CURRENT]}" end="\${words[(i)--]}"
  local -a before
  # After -- come a program and its arguments.
  if (( end < CURRENT )); then
    shift $end words
    (( CURRENT -= end ))
    _normal
    return
  fi
  for each in "\${(@)words[2,CURRENT-1]}"; do
    if [[ "$each" == --*=* ]]; then before+=("\${each%%=*}" "\${each#*=}"); else before+=("$each"); fi
  done
  if [[ "$current" == --*=* ]]; then
    before+=("\${current%%=*}")
    current="\${current#*=}"
    compset -P '--*='
  fi
  if found="$(_coffer_words "$current" "\${(@)before}")"; then
    [ -z "$found" ] || compadd -- \${(f)found}
  else
    _files
  fi
}
# Autoloaded from fpath, this is the function itself; sourced by hand, it registers itself.
if [ "$funcstack[1]" = _coffer ]; then _coffer "$@"; else compdef _coffer coffer; fi`
}

function renderFish(program: CommandNode): string {
  const quoteText = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const renderValue = (option: Option) => {
    if (!takesValue(option)) return ''
    const offers = {
      words: quoteText(option.argChoices?.join(' ') ?? ''),
      vault: "'(__coffer_vaults)'",
      nothing: "''",
    }
    const kind = getValueKind(option)
    return kind === 'file' ? ' -r -F' : ` -x -a ${offers[kind]}`
  }
  const lines = flattenCommands(program).flatMap((leaf) => {
    const condition = quoteText(`__coffer_at '${leaf.path.join(' ')}'`)
    const children = leaf.children.map(
      ({ path, description }) =>
        `complete -c coffer -n ${condition} -f -a ${path.at(-1)} -d ${quoteText(description)}`,
    )
    const options = leaf.options.map((option) => {
      const { short, description } = option
      const letter = short && option.long ? ` -s ${short.slice(1)}` : ''
      return `complete -c coffer -n ${condition}${letter} -l ${getLongFlag(option).replace(/^--?/, '')}${renderValue(option)} -d ${quoteText(description)}`
    })
    const values = listArgumentChoices(leaf)
    const fileValues = takesFiles(leaf)
      ? []
      : [`complete -c coffer -n ${condition} -f -a ${quoteText(values.join(' '))}`]
    return [...children, ...fileValues, ...options]
  })
  const paths = flattenCommands(program).map(({ path }) => quoteText(path.join(' ')))
  return `function __coffer_at -d 'Whether this command is typed, without --'
  set -l at ''
  for each in (commandline -opc)[2..-1]
    test "$each" != --; or return 1
    set -l next (string trim -- "$at $each")
    contains -- "$next" ${paths.join(' ')}; and set at "$next"
  end
  test "$at" = "$argv[1]"
end
function __coffer_program -d 'Complete the program after -- and its arguments'
  set -l typed (commandline -opc)
  set -l end (contains -i -- -- $typed); or return 1
  set -l words (string escape -- $typed[(math $end + 1)..-1]) (commandline -ct)
  complete -C (string join ' ' -- $words)
end
function __coffer_vaults
  set -l folder $COFFER_DATA_DIR
  test -n "$folder"; or set folder ${fishFolder()}
  set -l before
  for each in (commandline -opc)
    test "$before" != --data-dir; or set folder (string replace -r '^~' $HOME -- $each)
    string match -q -- '--data-dir=*' $each; and set folder (string replace -- --data-dir= '' $each)
    set before $each
  end
  for each in $folder/*/vault.json
    basename (dirname $each)
  end
end
complete -c coffer -n 'contains -- -- (commandline -opc)' -f -a '(__coffer_program)'
${lines.join('\n')}`
}

function fishFolder(): string {
  if (process.platform === 'linux') {
    return '(test -n "$XDG_DATA_HOME"; and echo $XDG_DATA_HOME; or echo $HOME/.local/share)/coffer'
  }
  return `"${getDataFolder()}"`
}
