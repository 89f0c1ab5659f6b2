/**
 * The browser information that a request may carry: only what the browser reports, without fingerprinting.
 */
export function readDeviceInfo(): Record<string, unknown> {
  const { languages, platform, hardwareConcurrency, maxTouchPoints, webdriver, cookieEnabled } = navigator
  const { width, height, availWidth, availHeight } = screen
  const agent = navigator as {
    readonly deviceMemory?: number
    readonly userAgentData?: {
      readonly brands: readonly unknown[]
      readonly mobile: boolean
      readonly platform: string
    }
  }
  const { brands, mobile, platform: uaPlatform } = agent.userAgentData ?? {}
  return {
    uaBrands: brands,
    uaMobile: mobile,
    uaPlatform,
    languages: [...languages],
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    cookiesEnabled: cookieEnabled,
    platform,
    hardwareConcurrency,
    deviceMemoryGb: agent.deviceMemory ?? null,
    screenWidth: width,
    screenHeight: height,
    screenAvailWidth: availWidth,
    screenAvailHeight: availHeight,
    devicePixelRatio: window.devicePixelRatio,
    maxTouchPoints,
    webdriver,
  }
}
