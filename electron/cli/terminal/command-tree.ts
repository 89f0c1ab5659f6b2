import type { Argument, Command, Option } from 'commander'

export type Leaf = {
  /** `coffer keys create` is `['keys', 'create']`. */
  readonly path: readonly string[]
  readonly description: string
  readonly arguments: readonly Argument[]
  readonly options: readonly Option[]
  readonly children: readonly Leaf[]
  /** The text printed below the options, such as examples. */
  readonly help: string
}

/** A command and its subcommands, as completion and manual need them. */
export function leafOf(command: Command, path: readonly string[] = []): Leaf {
  return {
    path,
    description: command.description(),
    arguments: command.registeredArguments,
    options: command.options.filter((option) => !option.hidden),
    children: command.commands.map((child) => leafOf(child, [...path, child.name()])),
    help: helpAfter(command),
  }
}

/** Every command of the tree, the whole program first. */
export function allOf(leaf: Leaf): Leaf[] {
  return [leaf, ...leaf.children.flatMap(allOf)]
}

/**
 * The text added after a command's help. Commander exposes it only by printing, so take what follows the help itself.
 */
function helpAfter(command: Command): string {
  let whole = ''
  const { writeOut } = command.configureOutput()
  command.configureOutput({
    writeOut(text) {
      whole += text
    },
  })
  try {
    command.outputHelp()
  } finally {
    if (writeOut) command.configureOutput({ writeOut })
  }
  const own = command.helpInformation()
  return whole.startsWith(own) ? whole.slice(own.length).trim() : ''
}
