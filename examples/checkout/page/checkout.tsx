import {
  type BasisTheoryElements,
  type ICardExpirationDateElement,
  type ICardNumberElement,
  type ICardVerificationCodeElement,
  useBasisTheory,
} from '@basis-theory/react-elements'
import { type FormEvent, useRef, useState } from 'react'
import type { Order } from '../shop/orders.ts'
import { price, product } from '../shop/product.ts'
import { CardFields } from './card-fields.tsx'
import { pay, payByWallet } from './pay.ts'
import { WalletButtons } from './wallet-sheet.tsx'

const problems = {
  incomplete: 'Please check the card’s details.',
  declined: 'The card was declined. Nothing was charged.',
  failed: 'Something went wrong. Please try again later.',
}

export function Checkout() {
  const { bt, error } = useBasisTheory(import.meta.env.VITE_PUBLIC_KEY)
  const [step, setStep] = useState<'form' | 'paying' | 'paid'>('form')
  const [problem, setProblem] = useState<keyof typeof problems>()
  const number = useRef<ICardNumberElement>(null)
  const expiry = useRef<ICardExpirationDateElement>(null)
  const code = useRef<ICardVerificationCodeElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const dialog = useRef<HTMLDialogElement>(null)

  function showProblem(name: keyof typeof problems) {
    setStep('form')
    setProblem(name)
  }

  function start() {
    setStep('paying')
    setProblem(undefined)
  }

  function showStatus(status: Order['status']) {
    if (status === 'paid') setStep('paid')
    else showProblem(status === 'declined' ? 'declined' : 'failed')
  }

  async function submit(event: FormEvent, bt: BasisTheoryElements) {
    event.preventDefault()
    if (step === 'paying' || !number.current || !expiry.current || !code.current || !dialog.current) return
    start()
    // These are element objects, not values, so the page cannot read the card.
    const card = {
      number: number.current,
      expiration_month: expiry.current.month(),
      expiration_year: expiry.current.year(),
      cvc: code.current,
    }
    try {
      showStatus(await pay(bt, card, dialog.current))
    } catch (error) {
      for (const { current } of [number, expiry, code]) current?.validate()
      showProblem((error as Error).name === 'BasisTheoryValidationError' ? 'incomplete' : 'failed')
    }
  }

  if (error) throw error
  if (step === 'paid') {
    return (
      <p role="status">
        Thank you! {product.name} is paid: {price}.
      </p>
    )
  }
  return (
    <>
      <p className="product">
        <span>{product.name}</span> <strong>{price}</strong>
      </p>
      <WalletButtons
        disabled={step === 'paying'}
        onPay={(...payment) => {
          start()
          payByWallet(...payment).then(showStatus, () => showProblem('failed'))
        }}
      />
      {bt && (
        <form ref={form} onSubmit={(event) => submit(event, bt)}>
          <CardFields
            bt={bt}
            number={number}
            expiry={expiry}
            code={code}
            disabled={step === 'paying'}
            onEnter={() => form.current?.requestSubmit()}
          />
          {problem && <p role="alert">{problems[problem]}</p>}
          <button type="submit" disabled={step === 'paying'}>
            {step === 'paying' ? 'Paying …' : `Pay ${price}`}
          </button>
        </form>
      )}
      <TestCards />
      <dialog ref={dialog} aria-label="Your bank" />
    </>
  )
}

function TestCards() {
  return (
    <details>
      <summary>Cards to try</summary>
      <ul>
        <li>
          <code>5204 2477 5000 1471</code> paid at once
        </li>
        <li>
          <code>4000 0200 0000 0000</code> the bank asks you first
        </li>
        <li>
          <code>4264 2815 1111 2228</code> the bank refuses
        </li>
        <li>
          <code>4000 0000 0000 0002</code> the payment provider declines
        </li>
      </ul>
      <p>With any date to come and any code. The wallets have cards of their own.</p>
    </details>
  )
}
