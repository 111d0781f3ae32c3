import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { rootCertificates } from 'node:tls'

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that name files or folders with certificates that clients trust. */
const CERTIFICATE_VARIABLES = [
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'NODE_EXTRA_CA_CERTS',
] as const

/** Where systems have the certificates that they trust (the list of Go, `crypto/x509/root_linux.go`). */
const OF_SYSTEMS = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/**
 * The certificates that a command trusts without the emulator, in PEM: those of its variables, those of the system, and
 * those that Node has. What cannot be read is left out, as clients do it.
 */
export function trustedRoots(environment: Environment): string[] {
  // Several variables often name one file, which is that of the system.
  const paths = new Set(certificatePaths(environment).map(({ path }) => path))
  const own = [...paths].flatMap(rootsIn).map((each) => [keyOf(each), each] as const)
  return [...new Map([...usualRoots(), ...own]).values()]
}

/** Files break lines at different places. Clients in Python read them all anew for each of their connection pools. */
function keyOf(certificate: string): string {
  return certificate.replaceAll('\n', '')
}

let usual: ReadonlyMap<string, string> | undefined

/** The certificates of the system and of Node. They stay the same while a process runs. */
function usualRoots(): ReadonlyMap<string, string> {
  const all = () => [...OF_SYSTEMS.flatMap(certificatesAt), ...rootCertificates.map(normalized)]
  return (usual ??= new Map(all().map((each) => [keyOf(each), each])))
}

/** Clients refuse a whole file for one certificate that they cannot read. */
function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0
  } catch {
    return false
  }
}

/** The files and folders that variables name, each with its variable. Only `SSL_CERT_DIR` may name several. */
export function certificatePaths(environment: Environment): { name: string; path: string }[] {
  return CERTIFICATE_VARIABLES.flatMap((name) => {
    const { [name]: value = '' } = environment
    const paths = name === 'SSL_CERT_DIR' ? value.split(delimiter) : [value]
    return paths.filter(Boolean).map((path) => ({ name, path }))
  })
}

/** The certificates in the file or folder that a variable names. */
export function rootsIn(path: string | undefined): string[] {
  if (!path) return []
  // To read a certificate takes half a millisecond.
  return certificatesAt(path).filter((each) => usualRoots().has(keyOf(each)) || isReadable(each))
}

/** The texts of a file, or of all files in a folder. */
function textsAt(path: string): string[] {
  try {
    return readdirSync(path).flatMap((name) => textOf(join(path, name)))
  } catch {
    return textOf(path)
  }
}

function textOf(file: string): string[] {
  try {
    return [readFileSync(file, 'utf8')]
  } catch {
    return []
  }
}

/** What is between the lines has no dash. A search that says so is fast: there are hundreds of certificates. */
const CERTIFICATE =
  /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]+-----END (?:TRUSTED )?CERTIFICATE-----/g

function certificatesAt(path: string): string[] {
  return textsAt(path).flatMap((text) => (text.match(CERTIFICATE) ?? []).map(normalized))
}

/** Files end their lines in different ways. */
function normalized(certificate: string): string {
  const trimmed = `${certificate.trim()}\n`
  return /\s[\r\n]|\r/.test(trimmed) ? trimmed.replaceAll(/\s*[\r\n]+/g, '\n') : trimmed
}
