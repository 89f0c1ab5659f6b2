/** A hanging indent beyond this share of the width would leave too little room for the text. */
const MAX_INDENT_SHARE = 0.6

/**
 * Wraps the text below a command's help to a width in characters. The lines of a paragraph are joined first. Indented
 * lines, such as examples and tables, stay separate and continue below their last column.
 */
export function wrapHelp(text: string, width: number): string {
  return text
    .split('\n\n')
    .map((block) => wrapBlock(block, width))
    .join('\n\n')
}

function wrapBlock(block: string, width: number): string {
  const lines: string[] = []
  for (const line of block.split('\n')) {
    const before = lines.at(-1)
    const continues = before !== undefined && isProse(before) && isProse(line) && !before.endsWith(':')
    if (continues) lines[lines.length - 1] = `${before} ${line}`
    else lines.push(line)
  }
  return lines.map((line) => wrapLine(line, width)).join('\n')
}

function isProse(line: string): boolean {
  return /^\S/.test(line)
}

function wrapLine(line: string, width: number): string {
  if (line.length <= width) return line
  const margin = /^ */.exec(line)?.[0].length ?? 0
  // The last column of a table begins after two spaces or more.
  const column = /^ *\S.*? {2,}(?=\S)/.exec(line)?.[0].length
  const isWide = column !== undefined && column > width * MAX_INDENT_SHARE
  const indent = column !== undefined && !isWide ? column : margin === 0 ? 0 : margin + 2
  const wrapped: string[] = []
  let current = line.slice(0, margin)
  for (const word of line.slice(margin).match(/\S+\s*/g) ?? []) {
    if (current.trim() !== '' && current.length + word.trimEnd().length > width) {
      wrapped.push(current.trimEnd())
      current = ' '.repeat(indent)
    }
    current += word
  }
  return [...wrapped, current.trimEnd()].join('\n')
}
