import { Component, type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Checkout } from './checkout.tsx'

/** Shows an error when Elements fail to load: they throw while their components render. */
class Boundary extends Component<{ children: ReactNode }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? <p role="alert">The card form could not be loaded.</p> : this.props.children
  }
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <main>
      <h1>Checkout</h1>
      <Boundary>
        <Checkout />
      </Boundary>
    </main>
  </StrictMode>,
)
