import { shortestPassphrase } from '../../shared/passphrase.ts'

export const ui = {
  copy: (what: string) => `Copy ${what}`,
  copied: 'Copied',
  close: 'Close',
  cancel: 'Cancel',
  loading: 'Loading…',
  retry: 'Try again',
  more: 'More actions',
  rows: (label: string) => `${label}, use the arrow keys to move and Enter to open`,
  confirmType: (word: string) => `Type ${word} to confirm`,
  seconds: (n: number) => `Hidden again in ${n} s`,
  justNow: 'just now',
  ago: (text: string) => `${text} ago`,
  ahead: (text: string) => `in ${text}`,
  never: 'never',
  stop: 'Stop',
  percent: (n: number) => `${n} %`,
  passphrase: {
    first: 'Passphrase',
    again: 'Passphrase again',
    help: `At least ${shortestPassphrase} characters. Four or five words are easy to keep and hard to guess.`,
    short: `Take at least ${shortestPassphrase} characters.`,
    differs: 'The two passphrases differ.',
  },
} as const
