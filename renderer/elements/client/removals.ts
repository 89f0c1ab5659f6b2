import { Observer } from './globals.ts'

type WatchedNode = { readonly node: Node; readonly onRemoved: () => void }

const watched = new Set<WatchedNode>()
const observedRoots = new WeakSet<Node>()
const observer = new Observer(() => {
  for (const each of [...watched]) {
    if (each.node.isConnected) continue
    watched.delete(each)
    each.onRemoved()
  }
})

/**
 * Calls `onRemoved` once, when a node is no longer in the document. This is needed because React removes
 * elements without calling `unmount`. Returns a function that stops the observation.
 */
export function onRemoval(node: Node, onRemoved: () => void): () => void {
  // An observer does not see into shadow trees, so observe each root up to the document.
  for (let root = node.getRootNode(); ; root = (root as ShadowRoot).host.getRootNode()) {
    if (!observedRoots.has(root)) observer.observe(root, { childList: true, subtree: true })
    observedRoots.add(root)
    if (!(root instanceof ShadowRoot)) break
  }
  const entry = { node, onRemoved }
  watched.add(entry)
  return () => watched.delete(entry)
}
