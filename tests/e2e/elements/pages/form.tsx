import {
  Component,
  type ComponentType,
  type ReactNode,
  type RefAttributes,
  StrictMode,
  useRef,
  useState,
} from 'react'
import { createRoot } from 'react-dom/client'

type ElementProps = RefAttributes<unknown> & Record<string, unknown>

/** The exports of every official React package. */
type ReactElements = {
  BasisTheoryProvider: ComponentType<{ bt: unknown; children: ReactNode }>
  CardElement: ComponentType<ElementProps>
  CardNumberElement: ComponentType<ElementProps>
  CardExpirationDateElement: ComponentType<ElementProps>
  CardVerificationCodeElement: ComponentType<ElementProps>
  TextElement: ComponentType<ElementProps>
  /** Exists only in newer packages. */
  CopyButtonElement?: ComponentType<ElementProps>
}

type UseBasisTheory = (key: string | undefined) => { bt: unknown; error?: Error }

/** Renders a shop's form in strict mode once the test calls `start(key)`, like a shop's own code. */
export function showForm(elements: ReactElements, useBasisTheory: UseBasisTheory): void {
  const shop = { events: [] as unknown[], refs: {} as Record<string, unknown>, renders: 0 }
  const renderShop = (key: string, done: (bt: unknown) => void) =>
    createRoot(document.getElementById('app') as HTMLElement).render(
      <StrictMode>
        <Boundary>
          <Shop {...elements} useBasisTheory={useBasisTheory} apiKey={key} onStart={done} shop={shop} />
        </Boundary>
      </StrictMode>,
    )
  Object.assign(window, { shop, start: (key: string) => new Promise((resolve) => renderShop(key, resolve)) })
}

/** Shows an error that a package throws while rendering. */
class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {}

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    return error ? <p role="alert">{error.message}</p> : this.props.children
  }
}

type ShopProps = ReactElements & {
  useBasisTheory: UseBasisTheory
  apiKey: string
  onStart: (bt: unknown) => void
  shop: {
    events: unknown[]
    refs: Record<string, unknown>
    renders: number
    set?: (props: Record<string, unknown>) => void
  }
}

function Shop({ useBasisTheory, apiKey, onStart, shop, ...elements }: ShopProps) {
  const { BasisTheoryProvider, CardElement, CardNumberElement, TextElement } = elements
  const { CardExpirationDateElement, CardVerificationCodeElement, CopyButtonElement } = elements
  const { bt, error } = useBasisTheory(apiKey)
  const name = useRef(null)
  const [isShown, setShown] = useState(true)
  const [brand, setBrand] = useState<string>()
  const [, setCount] = useState(0)
  const date = useRef(null)
  // Properties of the date element that the test sets.
  const [props, setProps] = useState<Record<string, unknown>>({})
  shop.set = setProps
  shop.renders++
  if (error) throw error
  if (bt) onStart(bt)
  // New objects in every render, and a state update on every change, as is usual in React.
  const createRecorder = (id: string) => (event: { type: string; cardBrand?: string }) => {
    shop.events.push({ id, ...event })
    setCount((count) => count + 1)
    if (id === 'number') setBrand(event.cardBrand)
  }
  return (
    <BasisTheoryProvider bt={bt}>
      <TextElement
        id="name.first:1"
        title="Name"
        ref={(element: unknown) => {
          shop.refs.name = element
        }}
        style={{ base: { color: 'rgb(1, 2, 3)' } }}
        onReady={createRecorder('name')}
        onChange={createRecorder('name')}
      />
      <TextElement id="mirror" title="Mirror" valueRef={name} placeholder="Same as below" />
      <TextElement id="source" title="Source" ref={name} mask={[/\d/, '-', /\d/]} validation={/^\d-\d$/} />
      <CardNumberElement
        id="number"
        title="Number"
        onChange={createRecorder('number')}
        style={{ base: { fontSize: '16px' } }}
      />
      <CardVerificationCodeElement id="code" title="Code" cardBrand={brand} />
      <CardExpirationDateElement
        id="date"
        title="Date"
        ref={date}
        {...props}
        onReady={createRecorder('date')}
        onChange={createRecorder('date')}
        onFocus={createRecorder('date')}
        onBlur={createRecorder('date')}
        onKeyDown={createRecorder('date')}
      />
      {CopyButtonElement && (
        <CopyButtonElement
          id="copy"
          title="Copy"
          text="Copy the date"
          valueRef={date}
          onClick={createRecorder('copy')}
          onCopy={createRecorder('copy')}
        />
      )}
      {isShown && (
        <CardElement
          id="card"
          title="Card"
          placeholder={{ cardNumber: 'Number' }}
          ref={(element: unknown) => {
            shop.refs.card = element
          }}
          onChange={createRecorder('card')}
        />
      )}
      <button type="button" onClick={() => setShown((was) => !was)}>
        Remove
      </button>
      <button type="button" onClick={() => setCount((count) => count + 1)}>
        Render
      </button>
    </BasisTheoryProvider>
  )
}
