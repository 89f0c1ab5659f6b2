import { applications } from './applications/strings.ts'
import { firstRun } from './first-run/strings.ts'
import { frame } from './frame/strings.ts'
import { home } from './home/strings.ts'
import { playground } from './playground/strings.ts'
import { requests } from './requests/strings.ts'
import { settings } from './settings/strings.ts'
import { tokens } from './tokens/strings.ts'
import { transfer } from './transfer/strings.ts'
import { ui } from './ui/strings.ts'
import { unlock } from './unlock/strings.ts'

/** Every English text of the window, a folder each. */
export const strings = {
  applications,
  firstRun,
  frame,
  home,
  playground,
  requests,
  settings,
  tokens,
  transfer,
  ui,
  unlock,
} as const
