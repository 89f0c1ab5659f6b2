import type { networkTokenAccount } from '../../../../shared/schemas/network-token.ts'
import type { z } from '../../../../shared/zod.ts'
import type { NetworkTokenContent } from './present.ts'

const BACKGROUND = '#3a4a63'

/** Returns the drawn card of a network token. Its pictures are data URLs, so that a program that is offline shows them. */
export function createAccount({ card }: NetworkTokenContent): z.input<typeof networkTokenAccount> {
  const chip = "<rect x='32' y='72' width='52' height='38' rx='6' fill='#d8c27a'/>"
  const last4 = `<text x='32' y='170' font-family='monospace' font-size='24' fill='#fff'>•••• ${card.last4}</text>`
  return {
    card_art: {
      background_color: BACKGROUND,
      logo: drawImage('Logo of the test issuer', 64, 64, "<circle cx='32' cy='32' r='32' fill='#d8c27a'/>"),
      card_image: drawImage(
        `Card ending in ${card.last4}`,
        343,
        216,
        `<rect width='343' height='216' rx='14' fill='${BACKGROUND}'/>${chip}${last4}`,
      ),
    },
  }
}

function drawImage(description: string, width: number, height: number, content: string) {
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ${width} ${height}'>${content}</svg>`
  return { url: `data:image/svg+xml,${encodeURIComponent(svg)}`, description, height, width }
}
