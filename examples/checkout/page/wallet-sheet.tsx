import { type FormEvent, useRef, useState } from 'react'
import { price, product } from '../shop/product.ts'
import { type Wallet, type WalletCard, walletCards } from '../shop/wallet-cards.ts'

const names = { apple: 'Apple Pay', google: 'Google Pay' } as const
const cards = Object.entries(walletCards) as [WalletCard, (typeof walletCards)[WalletCard]][]

type WalletButtonsProps = {
  readonly disabled: boolean
  readonly onPay: (wallet: Wallet, card: WalletCard) => void
}

/** A button for each wallet. It opens a sheet that replaces that of the phone or the browser. */
export function WalletButtons({ disabled, onPay }: WalletButtonsProps) {
  const [wallet, setWallet] = useState<Wallet>('apple')
  const sheet = useRef<HTMLDialogElement>(null)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    sheet.current?.close()
    onPay(wallet, new FormData(event.currentTarget).get('card') as WalletCard)
  }

  return (
    <div className="wallets">
      {(['apple', 'google'] as const).map((each) => (
        <button
          key={each}
          type="button"
          className="wallet"
          aria-haspopup="dialog"
          disabled={disabled}
          onClick={() => {
            setWallet(each)
            sheet.current?.showModal()
          }}
        >
          {names[each]}
        </button>
      ))}
      <p className="or">or by card</p>
      <dialog ref={sheet} className="sheet" aria-label={names[wallet]}>
        <form onSubmit={submit}>
          <h2>{names[wallet]}</h2>
          <fieldset>
            <legend>Card</legend>
            {cards.map(([id, { name, last4 }], at) => (
              <label key={id} className="choice">
                <input type="radio" name="card" value={id} defaultChecked={at === 0} />
                <span className={`art ${id}`} aria-hidden="true" />
                <span className="name">{name}</span>
                <span className="digits">•••• {last4}</span>
              </label>
            ))}
          </fieldset>
          <p className="product">
            <span>{product.name}</span> <strong>{price}</strong>
          </p>
          <button type="submit">Pay {price}</button>
          <p className="note">A stand-in for the sheet of your phone, with test cards.</p>
          {/* Last, because a dialog focuses its first control. */}
          <button type="button" className="close" aria-label="Cancel" onClick={() => sheet.current?.close()}>
            ×
          </button>
        </form>
      </dialog>
    </div>
  )
}
