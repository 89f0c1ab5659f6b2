import { useCallback } from 'react'
import { create } from 'zustand'
import type { Layout } from './layout.ts'

type Layouts = Readonly<Record<string, Layout>>

const useLayouts = create<Layouts>(() => ({}))
const asListed: Layout = {}

let keep: (layouts: Layouts) => void = () => {}

/** Sets where changed layouts are kept. */
export function keepLayouts(keeper: (layouts: Layouts) => void): void {
  keep = keeper
}

/** Takes over the layouts that are kept. */
export function takeLayouts(layouts: Layouts): void {
  useLayouts.setState(layouts, true)
}

/** The layout of a list by its name, and a function that changes it; null resets it. */
export function useLayout(name: string): readonly [Layout, (layout: Layout | null) => void] {
  const layout = useLayouts((layouts) => layouts[name]) ?? asListed
  const change = useCallback(
    (next: Layout | null): void => {
      const { [name]: _, ...others } = useLayouts.getState()
      const layouts = next === null ? others : { ...others, [name]: next }
      useLayouts.setState(layouts, true)
      keep(layouts)
    },
    [name],
  )
  return [layout, change]
}
