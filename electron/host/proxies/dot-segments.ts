/** An ASCII character in an overlong form, which UTF-8 does not allow. */
const overlong =
  /\xc0([\x80-\xbf])|\xc1([\x80-\xbf])|\xe0([\x80\x81])([\x80-\xbf])|\xf0\x80([\x80\x81])([\x80-\xbf])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: some servers drop control characters or stop at one.
const controls = /[\x00-\x1f\x7f]/

/** The maximum number of times that a path is decoded, because decoding a long path takes time. */
const MAX_DECODINGS = 5

/**
 * Whether any server could read a segment of this path as `.` or `..`. Covers servers that decode repeatedly, accept
 * lenient UTF-8 or `%u`, read `\` as `/`, end a segment at `;`, `?` or `#`, or drop control characters (case X-69). An
 * encoded slash alone is not a reason to return true, but a path that is still encoded after five decodings is.
 */
export function hasDotSegment(path: string): boolean {
  let decodedPath = path
  for (let times = 0; times <= MAX_DECODINGS; times++) {
    if (hasPlainDotSegment(decodedPath)) return true
    const next = decodePath(decodedPath)
    if (next === decodedPath) return false
    decodedPath = next
  }
  return true
}

function hasPlainDotSegment(path: string): boolean {
  if (!path.includes('.') && !/[^\x20-\x7e]/.test(path)) return false
  // Some servers read other characters, such as full-width ones, as dots and slashes.
  const compatible = Buffer.from(path, 'latin1').toString().normalize('NFKC')
  return [path, compatible].some((each) =>
    [/[/\\;?#]/, new RegExp(`[/\\\\;?#]|${controls.source}`)].some((separator) =>
      each.split(separator).some((segment) => /^\.\.?$/.test(stripSegment(segment))),
    ),
  )
}

/** Removes control characters from a segment, and spaces around it, which some file systems drop. */
function stripSegment(segment: string): string {
  return segment.replaceAll(new RegExp(controls, 'g'), '').trim()
}

/** Decodes a path once, and returns each of its bytes as one character. */
function decodePath(path: string): string {
  return path
    .replace(/%u00([\da-f]{2})|%([\da-f]{2})/gi, (_, wide, narrow) =>
      String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
    )
    .replace(overlong, (_, c0, c1, e0, e1, f0, f1) => {
      const last = (c0 ?? c1 ?? e1 ?? f1).charCodeAt(0) & 0x3f
      const isUpper = c1 !== undefined || (e0 ?? f0) === '\x81'
      return String.fromCharCode(isUpper ? last | 0x40 : last)
    })
}
