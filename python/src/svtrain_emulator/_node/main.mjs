// Starts the emulator that the Python package contains.
import { existsSync } from 'node:fs'
import module from 'node:module'

const program = new URL('./program/dist/cli.js', import.meta.url)
const [major, minor] = process.versions.node.split('.').map(Number)
const isSupported = major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)

function refuse(message) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

if (!isSupported) {
  refuse(
    `The emulator needs Node 20.19, 22.12, 24 or newer; ${process.execPath} is ${process.version}. Install one with: pip install 'svtrain-emulator[node]'`,
  )
} else if (!existsSync(program)) {
  refuse(
    'The emulator is missing in this package. Install it again: pip install --force-reinstall svtrain-emulator',
  )
} else {
  // Node 22.8 and later keeps compiled code, so that the next start is faster.
  module.enableCompileCache?.()
  const { main } = await import(program.href)
  await main()
}
