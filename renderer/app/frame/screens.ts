import type { Screen } from '../../parts/navigation/route-text.ts'
import type { IconName } from '../../ui/icon.tsx'

/** The icon of every screen, in the order of the rail. */
export const screenIcons: Readonly<Record<Screen, IconName>> = {
  home: 'home',
  tokens: 'token',
  applications: 'app',
  requests: 'activity',
  playground: 'braces',
  settings: 'sliders',
}
