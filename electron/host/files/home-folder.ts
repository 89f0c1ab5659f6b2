import os from 'node:os'
import path from 'node:path'

/**
 * Returns the home folder of the current user. Ignores an empty or relative `HOME`, which would put it below the
 * working directory.
 */
export function getHomeFolder(): string {
  const home = os.homedir()
  return path.isAbsolute(home) ? home : os.userInfo().homedir
}
