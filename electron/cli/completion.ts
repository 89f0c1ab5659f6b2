import { Argument, Command, type Option } from 'commander'
import { CofferError } from '../../shared/errors.ts'
import { allOf, type Leaf, leafOf } from './command-tree.ts'
import { say } from './common.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** `coffer completion`: a script that completes commands and options. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('Print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices([...shells]))
    .addHelpText(
      'after',
      `
Examples:
  coffer completion bash > ~/.local/share/bash-completion/completions/coffer
  coffer completion zsh > "\${fpath[1]}/_coffer"
  coffer completion fish > ~/.config/fish/completions/coffer.fish`,
    )
    .action((shell: Shell, _options: unknown, command: Command) => {
      if (!command.parent) throw new CofferError('internal', 'There is no program to complete.')
      say(completionOf(leafOf(command.parent), shell))
    })
}

/** The completion script of a program for a shell. */
export function completionOf(program: Leaf, shell: Shell): string {
  return { bash, zsh, fish }[shell](program)
}

function takesFile({ flags }: Option): boolean {
  return /<(file|dir)>/.test(flags)
}

function longOf({ long, short }: Option): string {
  return long ?? short ?? ''
}

/** What the arguments of a command may be. */
function argumentsOf(leaf: Leaf): string[] {
  return leaf.arguments.flatMap(({ argChoices }) => argChoices ?? [])
}

/** A function for bash and zsh: what may follow the words it is given, or nothing where a file does. */
function words(program: Leaf): string {
  const leaves = allOf(program)
  const at = ({ path }: Leaf) => path.join(' ')
  const say = (each: readonly (string | undefined)[]) => `printf '%s' '${each.join(' ')}'; return`
  const paths = leaves.map((leaf) => `'${at(leaf)}'`).filter((path) => path !== "''")
  const choices = leaves.flatMap((leaf) =>
    leaf.options
      .filter(({ argChoices }) => argChoices)
      .map((option) => `    '${at(leaf)} ${longOf(option)}') ${say(option.argChoices ?? [])} ;;`),
  )
  const files = new Set(leaves.flatMap(({ options }) => options.filter(takesFile).map(longOf)))
  const cases = leaves.map((leaf) => {
    const { path, children, options } = leaf
    const next = [
      ...children.map((child) => child.path.at(-1)),
      ...argumentsOf(leaf),
      ...options.map(longOf),
      '--help',
    ]
    return `    '${path.join(' ')}') ${say(next)} ;;`
  })
  return `_coffer_words() {
  local at='' before='' word
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
    ${[...files].join('|')}) return ;;
  esac
  case "$at" in
${cases.join('\n')}
  esac
}`
}

function bash(program: Leaf): string {
  return `${words(program)}
_coffer() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$(_coffer_words "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _coffer coffer`
}

function zsh(program: Leaf): string {
  return `#compdef coffer
${words(program)}
_coffer() {
  local -a found
  found=(\${=$(_coffer_words "\${(@)words[2,CURRENT-1]}")})
  compadd -- $found || _files
}
# Read from the search path it is called; read by hand it makes itself known.
if [ "$funcstack[1]" = _coffer ]; then _coffer "$@"; else compdef _coffer coffer; fi`
}

function fish(program: Leaf): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = allOf(program).flatMap((leaf) => {
    const here = quoted(conditionOf(leaf))
    const children = leaf.children.map(
      ({ path, description }) =>
        `complete -c coffer -n ${here} -f -a ${path.at(-1)} -d ${quoted(description)}`,
    )
    const options = leaf.options.map((option) => {
      const { short, description, argChoices, required, optional } = option
      const value = argChoices ? ` -x -a ${quoted(argChoices.join(' '))}` : required || optional ? ' -r' : ''
      const letter = short && option.long ? ` -s ${short.slice(1)}` : ''
      return `complete -c coffer -n ${here}${letter} -l ${longOf(option).replace(/^--?/, '')}${value} -d ${quoted(description)}`
    })
    const values = argumentsOf(leaf)
    const given =
      values.length === 0 ? [] : [`complete -c coffer -n ${here} -f -a ${quoted(values.join(' '))}`]
    return [...children, ...given, ...options]
  })
  return lines.join('\n')
}

/** Where in a command line a command has been typed and none below it. */
function conditionOf({ path, children }: Leaf): string {
  if (path.length === 0) return '__fish_use_subcommand'
  const typed = path.map((word) => `__fish_seen_subcommand_from ${word}`)
  const below = children.map((child) => child.path.at(-1)).join(' ')
  return [...typed, ...(below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`])].join('; and ')
}
