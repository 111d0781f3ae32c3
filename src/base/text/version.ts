import manifest from '../../../package.json' with { type: 'json' }

export const version = manifest.version

/** The versions of Node that this one runs on. */
export const supportedNode = manifest.engines.node
/** The versions of the packages that are the user's own, by their names. */
export const supportedPackages: Readonly<Record<string, string>> = manifest.peerDependencies
