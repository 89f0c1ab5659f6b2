/** Device names, which Windows does not take for files, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i
const MAX_FILE_NAME_BYTES = 255

/**
 * Why a reactor of this name cannot be the file `NAME.js` on every system, or null. SECURITY: names come from whoever
 * may store reactors, and must not lead out of the folder.
 */
export function findFileNameProblem(name: string): string | null {
  if (/[<>:"/\\|?*\p{Cc}]/u.test(name) || !name.isWellFormed())
    return 'its name has characters that no file may have'
  if (name.startsWith('.')) return 'its name begins with a dot'
  if (DEVICE.test(name)) return 'its name is that of a device on Windows'
  if (Buffer.byteLength(`${name}.js`) > MAX_FILE_NAME_BYTES) return 'its name is too long for a file'
  return null
}

/** What two names share if they are one file on a disk that ignores case, or writes accents in one way. */
export function toFileKey(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}

/** The names that are one file with another one of them. */
export function findCollidingNames(names: readonly string[]): string[] {
  const groups = Map.groupBy(names, toFileKey)
  return [...groups.values()].filter((group) => group.length > 1).flat()
}
