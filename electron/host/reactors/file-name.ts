/** Device names, which Windows does not accept as file names, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i
const MAX_FILE_NAME_BYTES = 255

/**
 * Says why a reactor of this name cannot be the file `NAME.js` on every system. Null if it can. SECURITY: names come
 * from anyone who may store reactors, and must not lead out of the folder.
 */
export function findFileNameProblem(name: string): string | null {
  if (/[<>:"/\\|?*\p{Cc}]/u.test(name) || !name.isWellFormed())
    return 'its name has characters that are not allowed in file names'
  if (name.startsWith('.')) return 'its name begins with a dot'
  if (DEVICE.test(name)) return 'its name is a reserved device name on Windows'
  if (Buffer.byteLength(`${name}.js`) > MAX_FILE_NAME_BYTES) return 'its name is too long for a file'
  return null
}

/** Returns a key that is equal for two names if they are one file on a disk that ignores case or normalizes accents. */
export function toFileKey(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}

/** Lists the names that some disks would treat as the same file as another name in the list. */
export function findCollidingNames(names: readonly string[]): string[] {
  const groups = Map.groupBy(names, toFileKey)
  return [...groups.values()].filter((group) => group.length > 1).flat()
}
