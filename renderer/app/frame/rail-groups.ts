import { type Screen, screenNames, screens } from '../../parts/navigation/screens.ts'

type RailGroup = { readonly label: string | undefined; readonly screens: readonly Screen[] }

/** The groups of the navigation rail: neighbouring screens whose entries name the same group. */
export const railGroups: readonly RailGroup[] = groupScreens()

function groupScreens(): readonly RailGroup[] {
  const groups: { label: string | undefined; screens: Screen[] }[] = []
  for (const screen of screenNames) {
    const { group: label } = screens[screen]
    const last = groups.at(-1)
    if (last && last.label === label) last.screens.push(screen)
    else groups.push({ label, screens: [screen] })
  }
  return groups
}

/** The shortcut of a screen: its digit in the order of the rail, or the comma for settings. Null after the ninth. */
export function getShortcut(screen: Screen, order: readonly Screen[] = screenNames): string | null {
  if (screen === 'settings') return 'mod+,'
  const position = order.indexOf(screen) + 1
  return position <= 9 ? `mod+${position}` : null
}
