/** Formats a number of bytes for people: `812 bytes`, `14.2 KiB`, `50 MiB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const [size, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KiB'] : [bytes / (1024 * 1024), 'MiB']
  // Rounded down: 49.99 MiB must not read as 50.
  const text = size < 100 ? (Math.floor(size * 10) / 10).toString() : Math.floor(size).toLocaleString('en')
  return `${text} ${unit}`
}
