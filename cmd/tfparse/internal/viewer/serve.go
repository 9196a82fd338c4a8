package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/view"
)

// serve prints the link to the page and serves it until the run is interrupted.
func (v *viewer) serve(e *cli.Env, h *view.Handler) error {
	address := strings.Trim(v.listen, "[]")
	want, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(address, strconv.Itoa(v.port)))
	if err != nil {
		return cli.Usagef("--listen %s: %w", address, err)
	}
	listener, err := net.ListenTCP("tcp", want)
	if err != nil {
		return err
	}
	defer listener.Close()
	at := listener.Addr().(*net.TCPAddr)
	hosts := hostNames(address, at)
	token := view.NewToken()
	link := fmt.Sprintf("http://%s/?token=%s", hosts[0], token)
	if !at.IP.IsLoopback() {
		e.Console.Print(fmt.Sprintf("%s: other machines can reach the page, and it is not encrypted", hosts[0]))
	}
	out := e.Report()
	out.Line("%s", link)
	if err := out.Finish(nil); err != nil {
		return err
	}
	if v.open {
		file, err := openBrowser(link)
		if file != nil {
			e.TrackFiles(file) // an interrupted run may end before this function
			defer file.Drop()
		}
		if err != nil {
			e.Console.Print(fmt.Sprintf("--open: %v; open the link above", err))
		}
	}
	server := &http.Server{
		Handler: view.Guard(h, token, hosts), ErrorLog: log.New(io.Discard, "", 0),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 512 << 10,
	}
	defer context.AfterFunc(e.Ctx, func() { server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return context.Canceled
}

// hostNames returns the Host headers of requests to an address that is listened on; the first one is for the link.
func hostNames(address string, at *net.TCPAddr) (hosts []string) {
	port := strconv.Itoa(at.Port)
	add := func(host string) {
		hosts = append(hosts, net.JoinHostPort(host, port))
		if port == "80" {
			hosts = append(hosts, host)
		}
	}
	if at.IP.IsUnspecified() {
		addresses, _ := net.InterfaceAddrs()
		for _, a := range addresses {
			if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
				add(n.IP.String())
			}
		}
		if name, err := os.Hostname(); err == nil {
			add(name)
		}
	} else {
		if add(at.IP.String()); address != at.IP.String() {
			add(address)
		}
	}
	if at.IP.IsLoopback() || at.IP.IsUnspecified() {
		for _, host := range []string{"127.0.0.1", "localhost", "::1"} {
			add(host)
		}
	}
	return hosts
}

// A redirectFile is a page that goes on to the link. A browser is started with its name, since all users of a machine
// see the arguments of processes.
type redirectFile string

// Drop removes the file.
func (f *redirectFile) Drop() { os.Remove(string(*f)) }

// openBrowser opens a link in the browser. The file is needed until the browser has read it.
func openBrowser(link string) (*redirectFile, error) {
	f, err := os.CreateTemp("", "tfparse-*.html") // with mode 0600
	if err != nil {
		return nil, err
	}
	name := redirectFile(f.Name())
	_, err = fmt.Fprintf(f, "<!doctype html><meta charset=utf-8><title>tfparse</title><meta http-equiv=refresh content=\"0; url=%s\"><a href=\"%[1]s\">Open the page</a>\n", link)
	if err = errors.Join(err, f.Close()); err != nil {
		return &name, err
	}
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	c := exec.Command(command[0], append(command[1:], f.Name())...)
	if err := c.Start(); err != nil {
		return &name, err
	}
	go c.Wait()
	return &name, nil
}
