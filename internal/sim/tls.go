package sim

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// identity is a certificate made at start, with the authority that signed it.
// The authority's key is thrown away: nothing more is ever signed with it.
type identity struct {
	authority []byte // DER
	leaf      tls.Certificate
}

// identityLife covers the longest run; the dates are wall time, which clients
// check, whatever the virtual clock says.
const identityLife = 30 * 24 * time.Hour

func newIdentity(host string, handlers []Named) (*identity, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the authority's key: %w", err)
	}
	now := time.Now()
	authority := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "simulated clouds (test authority)"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(identityLife),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey)
	if err != nil {
		return nil, fmt.Errorf("make the authority's certificate: %w", err)
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the server's key: %w", err)
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leafTemplate(now, host, handlers), authority, &leafKey.PublicKey, authorityKey)
	if err != nil {
		return nil, fmt.Errorf("make the server's certificate: %w", err)
	}
	return &identity{
		authority: authorityDER,
		leaf:      tls.Certificate{Certificate: [][]byte{leafDER, authorityDER}, PrivateKey: leafKey},
	}, nil
}

func leafTemplate(now time.Time, host string, handlers []Named) *x509.Certificate {
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: "simulated clouds"},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(identityLife),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if ip := net.ParseIP(host); ip == nil {
		leaf.DNSNames = append(leaf.DNSNames, host)
	} else if !ip.IsLoopback() {
		leaf.IPAddresses = append(leaf.IPAddresses, ip)
	}
	for _, h := range handlers {
		leaf.DNSNames = append(leaf.DNSNames, h.TLSNames...)
	}
	return leaf
}

// config serves HTTP/1.1 only, see Server.listen.
func (i *identity) config() *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{i.leaf},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"http/1.1"},
	}
}

// write puts the authority's certificate into a directory and returns its path.
func (i *identity) write(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the directory of the certificate: %w", err)
	}
	path := filepath.Join(dir, "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.authority})
	if err := os.WriteFile(path, block, 0o644); err != nil {
		return "", fmt.Errorf("write the authority's certificate: %w", err)
	}
	return path, nil
}
