import { ResourceScreen } from '../../parts/resource-screen/resource-screen.tsx'
import { Intents } from './intents.tsx'
import { ShortSessions } from './short-sessions.tsx'
import { strings } from './strings.ts'
import { ThreeDs } from './three-ds.tsx'

/** What lives for a short time: 3D Secure sessions, sessions of pages, and token intents. */
export function Sessions() {
  return (
    <ResourceScreen
      screen="sessions"
      strings={strings}
      sharesViews
      views={{ threeDs: <ThreeDs />, sessions: <ShortSessions />, intents: <Intents /> }}
    />
  )
}
