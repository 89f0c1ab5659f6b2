import { type ComponentType, useEffect, useState } from 'react'

/** A component whose code is fetched when it is first needed. */
type LazyView<Props> = {
  readonly load: () => Promise<ComponentType<Props>>
  loaded: ComponentType<Props> | null
}

/** Names a component to be fetched by `load` when `Later` first renders it. */
export function createLazy<Props>(load: () => Promise<ComponentType<Props>>): LazyView<Props> {
  return { load, loaded: null }
}

/**
 * Renders a component of `later`, and nothing until it is fetched. A fetched one is drawn at once, where React's own
 * `lazy` waits a third of a second. A failure to fetch is thrown in render; the next mount tries again.
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
  // Not kept as state: the same place may show another component next.
  const Component = of.loaded
  return Component && <Component {...props} />
}
