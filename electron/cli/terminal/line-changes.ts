import { formatCount } from '../../../shared/format-count.ts'
import { sanitizeText } from './printable.ts'

const MAX_PRINTED_LINES = 20

/**
 * Formats the difference between two strings, from the first to the last line that differs: `-` for removed lines,
 * `+` for added ones.
 */
export function diffLines(before: string, after: string): string[] {
  const old = before.split('\n')
  const now = after.split('\n')
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const lines = [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
  ]
  const more = lines.length - MAX_PRINTED_LINES
  return [
    `  code, from line ${start + 1}:`,
    ...lines
      .slice(0, MAX_PRINTED_LINES)
      .map((line) => `    ${sanitizeText(line.replaceAll('\t', '  ').replace(/\r$/, ''))}`),
    ...(more > 0 ? [`    … and ${formatCount(more, 'more line')}`] : []),
  ]
}
