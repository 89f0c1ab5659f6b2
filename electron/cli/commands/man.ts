import { Command, type Option } from 'commander'
import { CofferError } from '../../../shared/errors.ts'
import { allOf, type Leaf, leafOf } from '../terminal/command-tree.ts'
import { say } from '../terminal/common.ts'
import { environment, examples, exitCodes, jsonErrors } from './about.ts'

/** `coffer man`: prints the manual page. */
export function manCommand(version: string): Command {
  return new Command('man')
    .description('Print the manual page')
    .addHelpText(
      'after',
      '\nExamples:\n  coffer man | man -l -\n  coffer man > ~/.local/share/man/man1/coffer.1',
    )
    .action((_options: unknown, command: Command) => {
      if (!command.parent) throw new CofferError('internal', 'There is no program to describe.')
      say(manualOf(leafOf(command.parent), version))
    })
}

const files: readonly (readonly [string, string])[] = [
  [
    '~/.local/share/coffer',
    'The data folder on Linux, or coffer in $XDG_DATA_HOME. ~/Library/Application Support/Coffer on macOS, %APPDATA%\\Coffer on Windows. --data-dir and COFFER_DATA_DIR name another.',
  ],
  [
    '<data folder>/<vault>/',
    'One vault: vault.db, encrypted, vault.db-commits, which counts its writes, and vault.json, which describes what opens it.',
  ],
  ['<data folder>/backups/<vault>/', 'The backups of that vault.'],
  ['<data folder>/settings.json', 'The settings of the window. coffer serve follows them too.'],
  [
    '<file>.<id>.coffer-import, <file>.<id>.coffer-refused',
    'The progress of an import into a vault, and the lines that were refused.',
  ],
]

/** The manual of a program as a man page, identical on every machine. */
export function manualOf(program: Leaf, version: string): string {
  const commands = allOf(program).filter(({ path, children }) => path.length > 0 && children.length === 0)
  return [
    `.TH COFFER 1 "" "coffer ${text(version)}" "Coffer"`,
    '.SH NAME',
    `coffer \\- ${text(program.description)}`,
    '.SH SYNOPSIS',
    '.B coffer',
    '.I command',
    '[\\fIoptions\\fR]',
    '.SH COMMANDS',
    ...commands.flatMap(commandPart),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(row),
    '.PP',
    text(jsonErrors),
    '.SH ENVIRONMENT',
    ...environment.flatMap(row),
    '.SH FILES',
    ...files.flatMap(row),
    '.SH EXAMPLES',
    ...literal(examples),
  ].join('\n')
}

function commandPart({ path, description, arguments: given, options, help }: Leaf): string[] {
  const names = given.map((argument) => {
    const name = `\\fI${text(argument.name())}\\fR`
    return argument.required ? name : `[${name}]`
  })
  return [
    `.SS coffer ${[text(path.join(' ')), ...names].join(' ')}`,
    text(description),
    ...options.flatMap((option) => row([option.flags, about(option)])),
    ...literal(help),
  ]
}

function about({ description, argChoices, defaultValue, envVar }: Option): string {
  const isShown = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  return [
    description,
    ...(argChoices ? [`One of: ${argChoices.join(', ')}`] : []),
    ...(isShown ? [`Default: ${defaultValue}`] : []),
    ...(envVar === undefined ? [] : [`Environment: ${envVar}`]),
  ].join('. ')
}

function row([term, meaning]: readonly [string, string]): string[] {
  return ['.TP', `\\fB${text(term)}\\fR`, text(meaning)]
}

function literal(help: string): string[] {
  return help === '' ? [] : ['.PP', '.nf', ...help.split('\n').map(text), '.fi']
}

/** Text with everything escaped that roff would interpret. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
}
