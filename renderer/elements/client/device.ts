/** The result of `device.getDeviceInfo`: only what the browser reports, without canvas or font fingerprinting. */
export function collectDeviceInfo(): Record<string, unknown> {
  const {
    languages,
    platform,
    hardwareConcurrency,
    maxTouchPoints,
    webdriver,
    cookieEnabled,
    plugins,
    mimeTypes,
  } = navigator
  const { width, height, availWidth, availHeight } = screen
  const { deviceMemory, userAgentData } = navigator as {
    readonly deviceMemory?: number
    readonly userAgentData?: {
      readonly brands: readonly { readonly brand: string; readonly version: string }[]
      readonly mobile: boolean
      readonly platform: string
    }
  }
  return {
    uaBrands: userAgentData?.brands.map(({ brand, version }) => ({ brand, version })),
    uaMobile: userAgentData?.mobile,
    uaPlatform: userAgentData?.platform,
    languages: [...languages],
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    cookiesEnabled: cookieEnabled,
    localStorageEnabled: isStorageAvailable(() => localStorage),
    sessionStorageEnabled: isStorageAvailable(() => sessionStorage),
    platform,
    hardwareConcurrency,
    deviceMemoryGb: deviceMemory ?? null,
    screenWidth: width,
    screenHeight: height,
    screenAvailWidth: availWidth,
    screenAvailHeight: availHeight,
    innerWidth,
    innerHeight,
    devicePixelRatio,
    maxTouchPoints,
    plugins: [...plugins].map(({ name }) => name),
    mimeTypes: [...mimeTypes].map(({ type }) => type),
    webdriver,
  }
}

function isStorageAvailable(storage: () => Storage): boolean {
  try {
    return storage().length >= 0
  } catch {
    // The browser blocks this storage for the page.
    return false
  }
}
