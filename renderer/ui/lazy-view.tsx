import { type ComponentType, useEffect, useState } from 'react'

/** A component whose code is fetched on first use. */
type LazyView<Props> = {
  readonly load: () => Promise<ComponentType<Props>>
  loaded: ComponentType<Props> | null
}

/** Declares a component that `load` fetches when `LazyView` first renders it. */
export function createLazy<Props>(load: () => Promise<ComponentType<Props>>): LazyView<Props> {
  return { load, loaded: null }
}

/**
 * Renders a lazy component, and nothing until it is fetched. A fetched component renders immediately, whereas
 * React's `lazy` waits a third of a second. If fetching fails, the error is thrown while rendering, and the
 * next mount tries again.
 */
export function LazyView<Props extends object>({ of, props }: { of: LazyView<Props>; props: Props }) {
  const [, draw] = useState<unknown>(null)
  useEffect(() => {
    if (of.loaded) return
    of.load().then(
      (component) => {
        of.loaded = component
        draw(() => component)
      },
      (error) =>
        draw(() => {
          throw error
        }),
    )
  }, [of])
  // Read on every render instead of stored in state, because `of` may change.
  const Component = of.loaded
  return Component && <Component {...props} />
}
