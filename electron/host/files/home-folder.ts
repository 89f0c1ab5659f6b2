import os from 'node:os'
import path from 'node:path'

/** The home of whoever runs Coffer. An empty or relative `HOME` would put it below the working directory. */
export function homeFolder(): string {
  const home = os.homedir()
  return path.isAbsolute(home) ? home : os.userInfo().homedir
}
