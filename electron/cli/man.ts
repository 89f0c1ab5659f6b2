import { Command } from 'commander'
import { CofferError } from '../../shared/errors.ts'
import { allOf, type Leaf, leafOf } from './command-tree.ts'
import { say } from './common.ts'

/** `coffer man`: the manual page. */
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

/** The manual of a program in the language of man pages. */
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
    '.SH EXAMPLES',
    ...literal(program.help),
    '.SH EXIT STATUS',
    '0 when all went well, 1 when not; the reason is one sentence on standard error.',
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
    ...options.flatMap(({ flags, description, envVar, defaultValueDescription }) => [
      '.TP',
      `\\fB${text(flags)}\\fR`,
      text(
        [
          description,
          envVar === undefined ? '' : `. Environment: ${envVar}`,
          defaultValueDescription === undefined ? '' : `. Default: ${defaultValueDescription}`,
        ].join(''),
      ),
    ]),
    ...literal(help),
  ]
}

function literal(help: string): string[] {
  return help === '' ? [] : ['.PP', '.nf', ...help.split('\n').map(text), '.fi']
}

/** Plain text that the language of man pages does not take for its own. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
}
