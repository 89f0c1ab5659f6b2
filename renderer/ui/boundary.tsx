import { Component, type ErrorInfo, type ReactNode } from 'react'

/** A render error, and the components in which it happened. */
export type Broken = { readonly error: unknown; readonly components: string }

type Props = {
  readonly children: ReactNode
  /** Identifies the children. After an error, a new value renders them again. */
  readonly at: string
  readonly fallback: (broken: Broken, retry: () => void) => ReactNode
}
type State = { readonly broken: Broken | null }

/** Shows a fallback in place of children that fail to render, so that the rest of the page stays usable. */
export class Boundary extends Component<Props, State> {
  static getDerivedStateFromError(error: unknown): State {
    return { broken: { error, components: '' } }
  }

  override state: State = { broken: null }
  readonly #retry = () => this.setState({ broken: null })

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    this.setState({ broken: { error, components: componentStack ?? '' } })
  }

  override componentDidUpdate({ at }: Props): void {
    if (at !== this.props.at && this.state.broken !== null) this.#retry()
  }

  override render(): ReactNode {
    const { broken } = this.state
    return broken === null ? this.props.children : this.props.fallback(broken, this.#retry)
  }
}
