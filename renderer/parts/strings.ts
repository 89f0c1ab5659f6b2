import { frame } from '../app/frame/strings.ts'
import { applications } from '../screens/applications/strings.ts'
import { firstRun } from '../screens/first-run/strings.ts'
import { home } from '../screens/home/strings.ts'
import { playground } from '../screens/playground/strings.ts'
import { requests } from '../screens/requests/strings.ts'
import { settings } from '../screens/settings/strings.ts'
import { transfer } from '../screens/settings/transfer/strings.ts'
import { tokens } from '../screens/tokens/strings.ts'
import { unlock } from '../screens/unlock/strings.ts'
import { ui } from '../ui/strings.ts'

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
