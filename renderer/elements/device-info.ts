/** Only what the browser reports, without canvas or font fingerprinting. */
export function readDeviceInfo(): Record<string, unknown> {
  const { languages, platform, hardwareConcurrency, maxTouchPoints, webdriver, cookieEnabled } = navigator
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
    platform,
    hardwareConcurrency,
    deviceMemoryGb: deviceMemory ?? null,
    screenWidth: width,
    screenHeight: height,
    screenAvailWidth: availWidth,
    screenAvailHeight: availHeight,
    devicePixelRatio,
    maxTouchPoints,
    webdriver,
  }
}
