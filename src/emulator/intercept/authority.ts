import {
  createHash,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto'
import * as der from './der.js'

/** A certificate with its key, as `tls.createSecureContext` takes them. */
export interface Credentials {
  /** In PEM, with the certificate of the authority. */
  readonly cert: string
  readonly key: string
}

export interface AuthorityOptions {
  /** The names that the certificate of the server is for. */
  readonly hosts: readonly string[]
  /** What the authority is called in errors of clients. */
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** A certificate authority, and the certificate that it issued. */
export interface IssuedByAuthority {
  /** The certificate of the authority, in PEM. Clients trust it. */
  readonly authority: string
  readonly server: Credentials
}

const HOUR = 3_600_000
/** A training may take weeks. Its emulator ends with it, and the key of the authority is gone before it begins. */
const LIFE = 90 * 24 * HOUR
/** The clock of a container may differ from that of its machine. */
const EARLIER = 24 * HOUR

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const COMMON_NAME = '2.5.4.3'
const SUBJECT_KEY_ID = '2.5.29.14'
const KEY_USAGE = '2.5.29.15'
const SUBJECT_NAMES = '2.5.29.17'
const BASIC_CONSTRAINTS = '2.5.29.19'
const NAME_CONSTRAINTS = '2.5.29.30'
const AUTHORITY_KEY_ID = '2.5.29.35'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1'

/**
 * Makes a certificate authority and one certificate for a server. The authority may issue certificates for these
 * hosts only, and its key is forgotten when this returns: nobody can issue another one. Both certificates follow
 * RFC 5280, as strict clients check it (`openssl -x509_strict`, Python 3.13).
 */
export function issueCertificate({ hosts, name, now }: AuthorityOptions): IssuedByAuthority {
  const owner = newKeys()
  const server = newKeys()
  const facts = { issuer: name, from: now - EARLIER, until: now + LIFE }
  const authority = certificate(
    { ...facts, subject: name, keys: owner, extensions: authorityExtensions(owner, hosts) },
    owner.privateKey,
  )
  const [subject = ''] = hosts
  const issued = certificate(
    { ...facts, subject, keys: server, extensions: serverExtensions({ server, owner }, hosts) },
    owner.privateKey,
  )
  const key = server.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return { authority, server: { cert: issued + authority, key } }
}

interface Keys {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** All clients know this curve. */
function newKeys(): Keys {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
}

interface CertificateFacts {
  readonly subject: string
  readonly issuer: string
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly until: number
  readonly keys: Keys
  readonly extensions: readonly Uint8Array[]
}

/** Signs a certificate, and returns it in PEM. */
function certificate(facts: CertificateFacts, by: KeyObject): string {
  const algorithm = der.sequence(der.objectId(ECDSA_WITH_SHA256))
  const serial = randomBytes(16)
  // A serial number of 0 is not allowed, and neither is a negative one.
  serial[0] = (serial[0]! & 0x7f) | 0x40
  const body = der.sequence(
    der.tagged(0, der.integer(2)), // Version 3.
    der.integer(serial),
    algorithm,
    distinguishedName(facts.issuer),
    der.sequence(der.time(new Date(facts.from)), der.time(new Date(facts.until))),
    distinguishedName(facts.subject),
    publicKeyOf(facts.keys),
    der.tagged(3, der.sequence(...facts.extensions)),
  )
  const signature = sign('sha256', body, by)
  return new X509Certificate(
    Buffer.from(der.sequence(body, algorithm, der.bits(signature))),
  ).toString()
}

function distinguishedName(commonName: string): Uint8Array {
  // The longest name that the standard allows. Clients read the host from the extension.
  const text = der.utf8(commonName.slice(0, 64))
  return der.sequence(der.set(der.sequence(der.objectId(COMMON_NAME), text)))
}

function publicKeyOf({ publicKey }: Keys): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' })
}

function authorityExtensions(owner: Keys, hosts: readonly string[]): Uint8Array[] {
  const permitted = hosts.map((host) => der.sequence(dnsName(host)))
  return [
    critical(BASIC_CONSTRAINTS, der.sequence(der.truth(), der.integer(0))),
    // It signs certificates, and nothing else: the sixth bit.
    critical(KEY_USAGE, der.bits(Uint8Array.of(0b0000_0100), 2)),
    critical(NAME_CONSTRAINTS, der.sequence(der.tagged(0, ...permitted))),
    extension(SUBJECT_KEY_ID, der.octets(keyId(owner))),
  ]
}

function serverExtensions(
  { server, owner }: { server: Keys; owner: Keys },
  hosts: readonly string[],
): Uint8Array[] {
  return [
    // It signs handshakes: the first bit.
    critical(KEY_USAGE, der.bits(Uint8Array.of(0b1000_0000), 7)),
    extension(EXTENDED_KEY_USAGE, der.sequence(der.objectId(SERVER_AUTHENTICATION))),
    extension(SUBJECT_NAMES, der.sequence(...hosts.map(dnsName))),
    extension(SUBJECT_KEY_ID, der.octets(keyId(server))),
    extension(AUTHORITY_KEY_ID, der.sequence(der.taggedBytes(0, keyId(owner)))),
  ]
}

/** The number of a name of DNS among the kinds of names (RFC 5280, 4.2.1.6). */
const DNS_NAME = 2

function dnsName(host: string): Uint8Array {
  return der.taggedBytes(DNS_NAME, Buffer.from(host))
}

/** The SHA-1 of a public key: the usual id of a key, and no promise of security. */
function keyId(keys: Keys): Buffer {
  return createHash('sha1').update(publicKeyOf(keys)).digest()
}

function extension(id: string, content: Uint8Array): Uint8Array {
  return der.sequence(der.objectId(id), der.octets(content))
}

function critical(id: string, content: Uint8Array): Uint8Array {
  return der.sequence(der.objectId(id), der.truth(), der.octets(content))
}
