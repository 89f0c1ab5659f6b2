import { InvalidArgumentError } from 'commander'

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Parses a duration such as `90s`, `1h30m` or `2w`, and returns milliseconds. Throws an InvalidArgumentError. */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d{1,9})([smhdw])/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    throw new InvalidArgumentError('It must be a duration such as 90s, 15m, 1h30m, 7d or 2w.')
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0)
}
