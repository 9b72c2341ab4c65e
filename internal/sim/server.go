package sim

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Named is a handler with the name its URL is printed under.
type Named struct {
	Name    string
	Handler http.Handler
	// TLSNames are host names that the certificate shall be good for beside
	// localhost: those of the real cloud.
	TLSNames []string
}

// ServeOptions say where to listen; the zero value is ephemeral ports of
// 127.0.0.1 without TLS.
type ServeOptions struct {
	// Listen is HOST:PORT. The first handler takes the port, the others the
	// next ones; port 0 makes all ephemeral.
	Listen string
	// TLSDir, if set, gets a fresh authority's certificate, and each handler
	// gets a second listener with TLS, on the ports after the plain ones.
	TLSDir string
}

// Endpoint is a served handler.
type Endpoint struct {
	Name string
	// URL has a scheme and no path.
	URL string
	// TLSURL is empty without TLS.
	TLSURL string
}

// Server serves handlers until Close. One that is not closed ends with its
// process and keeps nothing else alive.
type Server struct {
	endpoints []Endpoint
	caFile    string
	servers   []*http.Server
	failed    chan error
	close     sync.Once
	closeErr  error
}

// Serve listens for each handler and returns once all listen.
func Serve(opts ServeOptions, handlers ...Named) (*Server, error) {
	if opts.Listen == "" {
		opts.Listen = "127.0.0.1:0"
	}
	ports, err := newPorts(opts.Listen)
	if err != nil {
		return nil, err
	}
	s := &Server{failed: make(chan error, 2*len(handlers))}
	for _, h := range handlers {
		url, err := s.listen(ports, h.Handler, nil)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.endpoints = append(s.endpoints, Endpoint{Name: h.Name, URL: url})
	}
	if opts.TLSDir == "" {
		return s, nil
	}
	if err := s.serveTLS(opts.TLSDir, ports, handlers); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) serveTLS(dir string, ports *ports, handlers []Named) error {
	identity, err := newIdentity(ports.host, handlers)
	if err != nil {
		return err
	}
	if s.caFile, err = identity.write(dir); err != nil {
		return err
	}
	for i, h := range handlers {
		if s.endpoints[i].TLSURL, err = s.listen(ports, h.Handler, identity); err != nil {
			return err
		}
	}
	return nil
}

// listen opens one listener and starts to serve on it.
func (s *Server) listen(ports *ports, handler http.Handler, identity *identity) (string, error) {
	listener, err := net.Listen("tcp", ports.next())
	if err != nil {
		return "", fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
		Protocols:         new(http.Protocols),
	}
	// HTTP/1.1 only: a dropped request must take its connection with it.
	server.Protocols.SetHTTP1(true)
	s.servers = append(s.servers, server)
	url := "http://" + listener.Addr().String()
	serve := func() error { return server.Serve(listener) }
	if identity != nil {
		url = "https://" + listener.Addr().String()
		server.TLSConfig = identity.config()
		serve = func() error { return server.ServeTLS(listener, "", "") }
	}
	go func() {
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
	return url, nil
}

// Endpoints lists what is served, in the order it was given.
func (s *Server) Endpoints() []Endpoint { return s.endpoints }

// URL is the plain URL of a handler, or "" for a name that is not served.
func (s *Server) URL(name string) string {
	for _, e := range s.endpoints {
		if e.Name == name {
			return e.URL
		}
	}
	return ""
}

// CAFile is the authority's certificate in PEM, or "" without TLS.
func (s *Server) CAFile() string { return s.caFile }

// Failed yields an error when a listener stops by itself.
func (s *Server) Failed() <-chan error { return s.failed }

// Close stops listening and cuts what is open. It may be called again.
func (s *Server) Close() error {
	s.close.Do(func() {
		for _, server := range s.servers {
			s.closeErr = errors.Join(s.closeErr, server.Close())
		}
	})
	return s.closeErr
}

// ports hands out listen addresses: a run of ports, or ephemeral ones.
type ports struct {
	host string
	port int
}

func newPorts(listen string) (*ports, error) {
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: %w", listen, err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: the port is not a number below 65536", listen)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return &ports{host: host, port: int(port)}, nil
}

func (p *ports) next() string {
	address := net.JoinHostPort(p.host, strconv.Itoa(p.port))
	if p.port != 0 {
		p.port++
	}
	return address
}
